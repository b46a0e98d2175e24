//! Recording of findings.

use aictx_shell::Word;

use super::{
    Call, CommandFinding, CommandRisk, Judge, Kind, Level, MAX_FINDINGS, MAX_TARGETS, Tier,
    scratch_dir,
};
use crate::finding_codes::{COMMAND_NOT_DECIDABLE, Code, DESTRUCTIVE_COMMAND, ERROR, WARNING};

/// Parts of a finding besides verb and targets.
#[derive(Debug, Clone, Copy)]
pub(super) struct What {
    pub(super) code: &'static Code,
    pub(super) kind: Kind,
    pub(super) tier: Tier,
    pub(super) level: Level,
    pub(super) reversible: bool,
    /// A hook asks the user, however mild it is.
    pub(super) asks: bool,
}

impl Judge<'_> {
    /// Something that may be lost.
    pub(super) fn hit<'t>(
        &mut self,
        call: Option<Call>,
        kind: Kind,
        tier: Tier,
        verb: &str,
        targets: impl IntoIterator<Item = &'t str>,
    ) {
        if !self.brings && call.is_some_and(|call| scratch_dir::hits_only_what_is_new(call, kind)) {
            return;
        }
        // Options that only a variable brings may be others when it runs.
        let carried = |call: Call| {
            call.command.words.first().is_some_and(|word| !word.carried)
                && call
                    .arguments()
                    .iter()
                    .any(|word| word.carried && word.text.starts_with('-'))
        };
        if tier == Tier::Destructive && call.is_some_and(carried) {
            let words = call.map(Call::arguments).unwrap_or_default();
            self.undecidable(Level::Destructive, verb, words);
            return;
        }
        let reversible = tier == Tier::Risky && kind.mild_is_reversible();
        let what = What {
            asks: false,
            code: &DESTRUCTIVE_COMMAND,
            kind,
            tier,
            level: tier.into(),
            reversible,
        };
        self.add(what, verb, targets);
    }

    /// Something that is no loss of work, and that nobody can take back: the user is asked.
    pub(super) fn ask<'t>(
        &mut self,
        kind: Kind,
        verb: &str,
        targets: impl IntoIterator<Item = &'t str>,
    ) {
        let what = What {
            code: &DESTRUCTIVE_COMMAND,
            kind,
            tier: Tier::Risky,
            level: Level::Caution,
            reversible: false,
            asks: true,
        };
        self.add(what, verb, targets);
    }

    /// Something that is told and can be repaired, or at worst is one file.
    pub(super) fn note<'t>(
        &mut self,
        kind: Kind,
        reversible: bool,
        verb: &str,
        targets: impl IntoIterator<Item = &'t str>,
    ) {
        let what = What {
            asks: false,
            code: &DESTRUCTIVE_COMMAND,
            kind,
            tier: Tier::Risky,
            level: Level::Caution,
            reversible,
        };
        self.add(what, verb, targets);
    }

    pub(super) fn undecidable<'w>(
        &mut self,
        level: Level,
        verb: &str,
        words: impl IntoIterator<Item = &'w Word<'w>>,
    ) {
        let unknown = words
            .into_iter()
            .filter(|word| word.unknown || word.carried)
            .map(|word| word.text.as_str());
        let what = What {
            asks: false,
            code: &COMMAND_NOT_DECIDABLE,
            kind: Kind::Undecidable,
            tier: Tier::Risky,
            level,
            reversible: false,
        };
        self.add(what, verb, unknown);
    }

    pub(super) fn add<'t>(
        &mut self,
        what: What,
        verb: &str,
        targets: impl IntoIterator<Item = &'t str>,
    ) {
        // In a line of thousands, most has been said before.
        if self.called.by.is_none() && !self.has_room_for(what.tier, what.level) {
            self.risk.tier = self.risk.tier.max(what.tier);
            return;
        }
        let targets: Vec<String> = targets
            .into_iter()
            .take(MAX_TARGETS)
            .map(str::to_owned)
            .collect();
        let Some((what, verb, targets)) = self.called.outward(what, verb, targets) else {
            return;
        };
        self.risk.tier = self.risk.tier.max(what.tier);
        let severity = if what.tier >= Tier::Destructive {
            ERROR
        } else {
            WARNING
        };
        let evidence = std::iter::once(verb.as_str()).chain(targets.iter().map(String::as_str));
        let finding = CommandFinding {
            warning: what.code.warning(severity, evidence),
            tier: what.tier,
            level: what.level,
            kind: what.kind,
            reversible: what.reversible,
            asks: what.asks,
            verb,
            targets,
            segment: self.segment,
        };
        // What it hits is what tells two findings apart.
        let mut known = self.risk.findings.iter();
        if known.any(|known| known.targets == finding.targets && *known == finding) {
            return;
        }
        if self.risk.findings.len() < MAX_FINDINGS {
            self.risk.findings.push(finding);
        } else if let Some(place) = self
            .risk
            .findings
            .iter_mut()
            .rev()
            .find(|known| (known.tier, known.level) < (finding.tier, finding.level))
        {
            // A full list must not hide the worst.
            *place = finding;
        }
    }

    /// Returns true if a finding can still be told: the list is not full, or holds a milder one.
    fn has_room_for(&self, tier: Tier, level: Level) -> bool {
        let findings = &self.risk.findings;
        findings.len() < MAX_FINDINGS
            || findings
                .iter()
                .any(|known| (known.tier, known.level) < (tier, level))
    }

    /// Forgets what was found about files since `before`.
    pub(super) fn forget_files_since(&mut self, before: CommandRisk) {
        let about_files = |kind| matches!(kind, Kind::Delete | Kind::Overwrite | Kind::Permission);
        let since = before.findings.len();
        let found = std::mem::replace(&mut self.risk, before);
        self.risk.runs = found.runs;
        let known = self.risk.quiet.len();
        let quiet = found.quiet.into_iter().skip(known);
        self.risk
            .quiet
            .extend(quiet.filter(|(kind, _)| !about_files(*kind)));
        for finding in found.findings.into_iter().skip(since) {
            if !about_files(finding.kind) {
                self.risk.tier = self.risk.tier.max(finding.tier);
                self.risk.findings.push(finding);
            }
        }
    }
}
