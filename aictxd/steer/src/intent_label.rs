//! The classifications, what is to be done about each, and in fixed words.

/// Label of a clause or a message. The most binding comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Label {
    Cancellation,
    ScopeConstraint,
    AgentCorrection,
    ValidationChange,
    RiskWarning,
    PriorityChange,
    ScopeChange,
    StrategyChange,
    NewRequirement,
    Task,
    Clarification,
    Approval,
    Question,
    Continuation,
    SideComment,
    Unknown,
}

/// Everything that follows from a label.
pub(super) struct Consequence {
    pub(super) name: &'static str,
    pub(super) decision: &'static str,
    pub(super) impact: &'static str,
    pub(super) summary: &'static str,
    pub(super) instruction: &'static str,
}

macro_rules! consequences {
    ($($label:ident: $name:literal, $decision:literal, $impact:literal, $summary:literal, $instruction:literal;)*) => {
        const ALL: &[(Label, Consequence)] = &[$((Label::$label, Consequence {
            name: $name, decision: $decision, impact: $impact, summary: $summary, instruction: $instruction,
        })),*];
    };
}

consequences! {
    Cancellation: "cancellation", "pause", "work_should_pause",
        "The person wants the work to stop.",
        "Stop now. Start no further step; say in one or two sentences where things stand and wait for an answer.";
    ScopeConstraint: "scope_constraint", "update_contract", "contract_update_required",
        "The person limits what may be edited.",
        "Keep to the limit from now on, also in later steps. Undo nothing unless asked; if something has already crossed it, say so.";
    AgentCorrection: "agent_correction", "replan", "plan_update_required",
        "The person says that the work goes in a wrong direction.",
        "Drop the assumption that was corrected, state the corrected one in a sentence, and plan again from it.";
    ValidationChange: "validation_change", "update_validation", "validation_update_required",
        "The person changes what is to be tested.",
        "Validate as asked, and name in the final report what was run and what was not.";
    RiskWarning: "risk_warning", "re_ground", "caution_required",
        "The person warns of a risk.",
        "Look again at what the next step touches before taking it; prefer steps that can be undone, and ask before those that cannot.";
    PriorityChange: "priority_change", "replan", "plan_update_required",
        "The person changes the order of the work.",
        "Reorder the plan as asked and go on with what comes first now; keep the rest for later.";
    ScopeChange: "scope_change", "update_contract", "contract_update_required",
        "The person widens or narrows the scope.",
        "Take over the new scope and adapt the plan; what it no longer covers is left as it is.";
    StrategyChange: "strategy_change", "replan", "plan_update_required",
        "The person wants another way to the same goal.",
        "Keep the goal, change the approach as asked, and redo what the old approach has left behind.";
    NewRequirement: "new_requirement", "append_requirement", "work_state_update_recommended",
        "The person adds a requirement.",
        "Add it to the plan without dropping what was asked before.";
    Task: "task", "continue", "none",
        "The message is a task.",
        "Work on it.";
    Clarification: "clarification", "replan", "plan_update_required",
        "The person makes clear what was meant.",
        "Read the task again with this in mind and adapt the plan where it differs.";
    Approval: "approval", "continue", "none",
        "The person consents to a step.",
        "Take the step that was named, and no other of its kind.";
    Question: "question", "continue", "none",
        "The person asks a question.",
        "Answer it; the plan stays as it is.";
    Continuation: "continuation", "continue", "none",
        "The person agrees or asks to go on.",
        "Go on with the plan.";
    SideComment: "side_comment", "ignore_as_side_comment", "none",
        "A remark that asks for nothing.",
        "Go on; change nothing because of it.";
    Unknown: "unknown", "ask_user", "clarification_required",
        "The message was not understood with certainty.",
        "Ask in one sentence what was meant before changing the plan.";
}

impl Label {
    /// The label called `name`.
    pub(super) fn from_name(name: &str) -> Option<Self> {
        ALL.iter()
            .find(|(_, c)| c.name == name)
            .map(|(label, _)| *label)
    }

    /// Returns its consequence.
    pub(super) fn consequence(self) -> &'static Consequence {
        const NONE: Consequence = Consequence {
            name: "unknown",
            decision: "ask_user",
            impact: "clarification_required",
            summary: "",
            instruction: "",
        };
        ALL.iter()
            .find(|(label, _)| *label == self)
            .map_or(&NONE, |(_, c)| c)
    }

    /// Its name on the wire.
    pub(super) fn name(self) -> &'static str {
        self.consequence().name
    }
}
