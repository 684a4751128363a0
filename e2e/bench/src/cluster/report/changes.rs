//! One kind of change, summed up. Pure.

use latchkey_workload::{
    stats::{interval, median, quantile},
    verdict::Verdict,
};
use serde_json::{Value, json};

use super::round;
use crate::cluster::{kind::Kind, propagation::Sample};

/// p50, p99 and the largest.
#[derive(Clone, Copy, Debug)]
struct Spread([f64; 3]);

/// A kind's figures, in milliseconds.
pub(super) struct Row<'a> {
    kind: Kind,
    samples: &'a [Sample],
    answer: Spread,
    event: Spread,
    word: Option<Spread>,
    excess: Spread,
    /// Of the excess: 95 % intervals of p50 and p99.
    p50: (f64, f64),
    p99: (f64, f64),
}

impl Spread {
    fn of(values: &[f64]) -> Self {
        Self([
            median(values),
            quantile(values, 0.99),
            values.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        ])
    }

    fn json(self) -> Value {
        let [p50, p99, max] = self.0.map(round);
        json!({"p50": p50, "p99": p99, "max": max})
    }

    fn text(self) -> String {
        let [p50, p99, max] = self.0;
        format!("{p50:.1} / {p99:.1} / {max:.1}")
    }
}

impl<'a> Row<'a> {
    pub(super) fn of(kind: Kind, samples: &'a [Sample]) -> Self {
        let excess = all(samples, Sample::excess);
        let words: Vec<_> = samples.iter().filter_map(|sample| sample.published).collect();
        Self {
            kind,
            samples,
            answer: Spread::of(&all(samples, Sample::last)),
            event: Spread::of(&all(samples, |sample| sample.event)),
            word: (!words.is_empty()).then(|| Spread::of(&words)),
            excess: Spread::of(&excess),
            p50: interval(&excess, 0.5),
            p99: interval(&excess, 0.99),
        }
    }

    /// The verdicts on p50 and p99 of the excess, as far as anything is asked of them.
    fn verdicts(&self) -> [Option<(f64, Verdict)>; 2] {
        let budget = self.kind.budget();
        let p50 = budget.map(|budget| (budget.must_p50, Verdict::of(self.p50, budget.must_p50)));
        let p99 = budget.and_then(|budget| budget.must_p99);
        [p50, p99.map(|most| (most, Verdict::of(self.p99, most)))]
    }

    /// Whether the aims for p50 and p99 of the answer are met.
    fn aims(&self) -> Option<[(f64, bool); 2]> {
        let [p50, p99, _] = self.answer.0;
        self.kind.budget().map(|budget| {
            [
                (budget.aim_p50, p50 <= budget.aim_p50),
                (budget.aim_p99, p99 <= budget.aim_p99),
            ]
        })
    }

    pub(super) fn json(&self) -> Value {
        let of = |value: fn(&Sample) -> f64| Spread::of(&all(self.samples, value)).json();
        let verdict = |verdict: Option<(f64, Verdict)>| {
            verdict.map(|(most, verdict)| json!({"most": most, "verdict": verdict.as_str()}))
        };
        let aim = |(most, met): (f64, bool)| json!({"most": most, "met": met});
        let [must_p50, must_p99] = self.verdicts();
        let [aim_p50, aim_p99] = self.aims().map_or([None, None], |aims| aims.map(Some));
        json!({
            "changes": self.samples.len(),
            "write_ms": of(|sample| sample.write),
            "answer_ms": self.answer.json(),
            "answer_of_gateways_ms": [of(|sample| sample.answers[0]), of(|sample| sample.answers[1])],
            "bare_event_ms": self.event.json(),
            "operators_word_ms": self.word.map(Spread::json),
            "excess_ms": self.excess.json(),
            "excess_p50_95": [round(self.p50.0), round(self.p50.1)],
            "excess_p99_95": [round(self.p99.0), round(self.p99.1)],
            "must_excess_p50": verdict(must_p50),
            "must_excess_p99": verdict(must_p99),
            "aim_answer_p50": aim_p50.map(aim),
            "aim_answer_p99": aim_p99.map(aim),
        })
    }

    pub(super) fn head() -> String {
        format!(
            "{:<30} {:>21} {:>21} {:>21} {:>21}  {:<36} aim",
            "change", "answer", "bare", "word", "excess", "must"
        )
    }

    pub(super) fn line(&self) -> String {
        let musts: Vec<_> = ["p50", "p99"]
            .iter()
            .zip(self.verdicts())
            .filter_map(|(name, verdict)| {
                verdict.map(|(most, verdict)| format!("{name}<={most} {}", verdict.as_str()))
            })
            .collect();
        let aims = self.aims().map(|aims| {
            aims.map(|(most, met)| format!("{most} {}", if met { "met" } else { "missed" }))
                .join(", ")
        });
        format!(
            "{:<30} {:>21} {:>21} {:>21} {:>21}  {:<36} {}",
            self.kind.title(),
            self.answer.text(),
            self.event.text(),
            self.word.map(Spread::text).unwrap_or_default(),
            self.excess.text(),
            musts.join(", "),
            aims.unwrap_or_default(),
        )
        .trim_end()
        .to_owned()
    }
}

fn all(samples: &[Sample], value: impl Fn(&Sample) -> f64) -> Vec<f64> {
    samples.iter().map(value).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(answers: [f64; 2], event: f64) -> Sample {
        Sample {
            write: 1.0,
            answers,
            event,
            published: None,
        }
    }

    #[test]
    fn the_last_gateway_decides_and_is_compared_change_by_change() {
        let samples = [sample([1.0, 3.0], -1.0), sample([9.0, 2.0], 8.0)];
        let row = Row::of(Kind::DeadSha256, &samples);
        let close = |spread: Spread, p50: f64, max: f64| {
            (spread.0[0] - p50).abs() < 1e-9 && (spread.0[2] - max).abs() < 1e-9
        };
        assert!(close(row.answer, 6.0, 9.0));
        assert!(close(row.excess, 2.5, 4.0));
    }

    #[test]
    fn a_verdict_is_given_where_something_is_asked() {
        let late = [sample([20.0, 20.0], 0.0); 40];
        let said = |kind| {
            Row::of(kind, &late)
                .verdicts()
                .map(|verdict| verdict.map(|(_, verdict)| verdict))
        };
        assert_eq!(
            said(Kind::DeadSha256),
            [Some(Verdict::Fails), Some(Verdict::Fails)]
        );
        assert_eq!(said(Kind::LiveSecretRef), [Some(Verdict::Fails), None]);
        assert_eq!(said(Kind::DeadSecret), [None, None]);
    }
}
