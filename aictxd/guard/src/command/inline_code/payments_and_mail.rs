//! Effects of a program on people: money that moves, letters to many.

use super::super::{Call, Judge, Kind, Tier, http_request};
use super::Code;
use super::prefilter::Lists;
use super::scan::Find as _;

/// Ways to move money at a payment service; without blanks.
pub(super) const MONEY: [&str; 16] = [
    "refunds.create(",
    "Refund.create(",
    "Refund::create(",
    "charges.create(",
    "Charge.create(",
    "Charge::create(",
    "PaymentIntent.create(",
    "paymentIntents.create(",
    "PaymentIntent::create(",
    "payouts.create(",
    "Payout.create(",
    "transfers.create(",
    "Transfer.create(",
    "subscriptions.cancel(",
    "Subscription.cancel(",
    "Subscription.delete(",
];
/// Ways to send a letter.
pub(super) const LETTERS: [&str; 16] = [
    "deliver_now",
    "deliver_later",
    "send_mass_mail(",
    "sendMail(",
    "send_mail(",
    "sendEmail(",
    "send_email(",
    "sg.send(",
    "sgMail.send(",
    "emails.send(",
    "SendEmailCommand(",
    "sendmail(",
    "send_message(",
    "Mail::to(",
    "->notify(",
    "sms.send(",
];
/// Something is done for each of many.
const EACH: [&str; 9] = [
    "for ",
    "forEach(",
    ".map(",
    ".each",
    "foreach",
    "find_each",
    "while ",
    "mass_mail",
    "for(",
];

impl Code<'_> {
    /// Money and letters of a program that does not only pretend.
    pub(super) fn people(&self, judge: &mut Judge, call: Call) {
        if !self.found.has(Lists::PEOPLE) {
            return;
        }
        let says = |words: &[&str]| words.iter().any(|word| self.run.holds(word));
        let (money, letters) = (says(&MONEY), says(&LETTERS));
        if !money && !letters {
            return;
        }
        let rehearsed = [
            "sk_test", "rk_test", "sandbox", "mailhog", "mailpit", "ethereal", "fake", "mock",
            "stub",
        ];
        let text = self.text.to_ascii_lowercase();
        let rehearsed = rehearsed.iter().any(|word| text.holds(word));
        if self.only_seems() || rehearsed || http_request::is_local(&self.text) {
            return;
        }
        let each = says(&EACH);
        if money {
            let tier = if each { Tier::Destructive } else { Tier::Risky };
            let verb = format!("{} moves money", self.language);
            judge.hit(Some(call), Kind::RemoteChange, tier, &verb, []);
        }
        if each && letters {
            let verb = format!("{} writes to many", self.language);
            judge.hit(Some(call), Kind::RemoteChange, Tier::Destructive, &verb, []);
        }
    }
}
