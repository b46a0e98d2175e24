//! Extracts an agent's statements about its work from its messages in an execution.

use aictx_steer::word_count;

use crate::left::next_steps;

/// Messages of so many words ("Done.", "Tests pass now.") tell nothing by themselves.
const SMALL: usize = 3;
/// Characters of what was done, and of what came of it afterwards.
const MAX_DONE: usize = 120;
const MAX_LATER: usize = 120;

/// Deeds of a turn; a message tells about them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Deed {
    /// Talked.
    #[default]
    None,
    /// Read.
    Looked,
    /// Ran something.
    Ran,
    /// Changed something.
    Edited,
}

/// The message that tells most: that of the last turn that changed something, else that ran something.
/// What a later turn ran is told behind it; thanks and answers are not.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Said {
    turn: usize,
    doing: Deed,
    told: Deed,
    told_in: usize,
    text: String,
    later: String,
}

impl Said {
    /// The user says something: another turn.
    pub(crate) fn asked(&mut self) {
        self.turn += 1;
        self.doing = Deed::None;
    }

    /// The turn does something.
    pub(crate) fn did(&mut self, deed: Deed) {
        self.doing = self.doing.max(deed);
    }

    /// The agent says something at the end of a turn, or of a part of it.
    pub(crate) fn hear(&mut self, text: &str) {
        let weight = match word_count(text) <= SMALL {
            true => Deed::None,
            false => self.doing,
        };
        if self.text.is_empty() || weight >= self.told {
            text.clone_into(&mut self.text);
            self.later.clear();
            self.told = weight;
            self.told_in = self.turn;
            // What is said about the same edits again is about what came of them.
            if self.doing == Deed::Edited && weight == Deed::Edited {
                self.doing = Deed::Ran;
            }
        } else if self.turn != self.told_in && (weight == Deed::Ran || self.doing == Deed::Edited) {
            // "Done." of another edit: what was said before is not the last of it.
            text.clone_into(&mut self.later);
        }
    }

    /// Returns the remaining work by the last statement about it.
    pub(crate) fn left(&self) -> Vec<String> {
        next_steps(match self.later.is_empty() {
            true => &self.text,
            false => &self.later,
        })
    }

    /// All of it in a line; empty when nothing was said.
    pub(crate) fn summary(&self) -> String {
        if self.later.is_empty() {
            return self.text.clone();
        }
        let done = aictx_proto::text::shorten(&self.text, MAX_DONE);
        let later = aictx_proto::text::shorten(&self.later, MAX_LATER);
        format!("{done} Then: {later}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Turns: what was done and what was said, in order.
    fn summary(turns: &[&[(Deed, &str)]]) -> String {
        let mut said = Said::default();
        for turn in turns {
            said.asked();
            for (deed, text) in *turn {
                said.did(*deed);
                said.hear(text);
            }
        }
        said.summary()
    }

    #[test]
    fn what_was_done_is_told_and_not_what_was_said_last() {
        let fixed = "The worker returned early; the check is in a finally block now.";
        let edit = &[(Deed::Edited, fixed)][..];
        assert_eq!(summary(&[]), "");
        assert_eq!(summary(&[edit, &[(Deed::None, "Noted, I will.")]]), fixed);
        assert_eq!(summary(&[edit, &[(Deed::Ran, "Done.")]]), fixed);
        let answer = "It is called from queue:work, in two places.";
        assert_eq!(summary(&[edit, &[(Deed::Looked, answer)]]), fixed);
        // After our own question at the end of a turn.
        let checked = &[(Deed::Edited, fixed), (Deed::Ran, "All of the tests pass.")][..];
        assert_eq!(summary(&[checked]), fixed);
        let deployed = "Deployed 1.2 to staging without errors.";
        assert_eq!(
            summary(&[edit, &[(Deed::Ran, deployed)]]),
            format!("{fixed} Then: {deployed}")
        );
        assert_eq!(
            summary(&[edit, &[(Deed::Edited, "Done.")]]),
            format!("{fixed} Then: Done.")
        );
        let again = "It counts idle seconds as well since the second edit.";
        assert_eq!(summary(&[edit, &[(Deed::Edited, again)]]), again);
        assert_eq!(
            summary(&[&[(Deed::None, "Hello, what is to do?")], edit]),
            fixed
        );
        assert_eq!(summary(&[&[(Deed::Looked, answer)]]), answer);
    }
}
