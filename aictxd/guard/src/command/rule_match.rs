//! Calls that are known by verbs and options, as the table has them.

use aictx_shell::Word;

use super::options::{self, is_option, operands_of};
use super::{Call, Judge, Kind, Tier, minor_effects, table};

/// Verdict of the table on one call.
enum Verdict {
    None,
    Harmless,
    Worst(&'static table::Rule),
}

impl Judge<'_> {
    /// The table of calls that are known by verbs and options.
    pub(super) fn rules(&mut self, call: Call, name: &str, arguments: &[Word]) {
        // `cargo +nightly publish`
        let arguments = match arguments.split_first() {
            Some((first, rest)) if name == "cargo" && first.text.starts_with('+') => rest,
            _ => arguments,
        };
        let program = call.program_named(name);
        let rules = program.rules;
        if !self.minded.is_empty() {
            minor_effects::by_rules(self, program, arguments);
        }
        if rules.is_empty() || rules.know_none_of(arguments) {
            return;
        }
        let mut operands = operands_of(program.valued, arguments);
        let mut worst = match self.worst_rule(rules, &operands, call, arguments) {
            Verdict::Harmless => return,
            Verdict::Worst(rule) => Some(rule),
            Verdict::None => None,
        };
        if worst.is_none_or(|rule| rule.tier < Tier::Destructive) && operands.words.len() > 1 {
            let others = options::operands_behind_values(arguments);
            if let Verdict::Worst(rule) = self.worst_rule(rules, &others, call, arguments)
                && worst.is_none_or(|worst| worst.tier < rule.tier)
            {
                worst = Some(rule);
                operands = others;
            }
        }
        let Some(rule) = worst else {
            return;
        };
        let operands = operands.words;
        let mut verb = name.to_owned();
        for operand in operands.iter().take(rule.words.len()) {
            verb.push(' ');
            verb.push_str(operand);
        }
        let telling = |word: &&Word| rule.options().any(|option| is_option(&word.text, option));
        if let Some(option) = arguments.iter().find(telling) {
            verb.push(' ');
            verb.push_str(&option.text);
        }
        let targets: Vec<&str> = operands.iter().skip(rule.words.len()).copied().collect();
        // What another program lists is many.
        let many = call.command.fed && rule.kind == Kind::DatabaseWrite;
        let tier = if many {
            rule.tier.max(Tier::Destructive)
        } else {
            rule.tier
        };
        if rule.asks {
            self.ask(rule.kind, &verb, targets);
        } else {
            self.hit(Some(call), rule.kind, tier, &verb, targets);
        }
    }

    /// The worst rule that fits one reading of the words.
    fn worst_rule(
        &self,
        rules: &'static table::Rules,
        operands: &options::Operands,
        call: Call,
        arguments: &[Word],
    ) -> Verdict {
        let mut worst: Option<&table::Rule> = None;
        for rule in rules.beginning(operands.words.first().copied()) {
            if worst.is_none_or(|worst| worst.tier < rule.tier || rule.tier == Tier::Plain)
                && rule.matches(operands, arguments, call.command.elevated)
            {
                if rule.tier == Tier::Plain {
                    return Verdict::Harmless;
                }
                worst = Some(rule);
            }
        }
        worst.map_or(Verdict::None, Verdict::Worst)
    }
}
