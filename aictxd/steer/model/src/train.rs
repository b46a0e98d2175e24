//! Fits the model: multinomial logistic regression by stochastic gradient descent with weight decay, the
//! same at each run.

use crate::features::{BUCKETS, CLASSES, features, softmax};

/// Times that the examples are gone through.
const EPOCHS: usize = 40;
/// First step.
const STEP: f32 = 4.0;
/// Epochs after which the step is half of that.
const DECAY: f32 = 8.0;
/// Part of a step that biases, which every example moves, take.
const BIAS_STEP: f32 = 0.1;
/// L2 regularisation, per example.
const L2: f32 = 1.5e-5;

/// Weights of each bucket for each class.
pub struct Weights {
    /// A row for each bucket.
    pub of: Vec<[f32; CLASSES.len()]>,
    /// Bias of each class.
    pub bias: [f32; CLASSES.len()],
}

/// Fits weights to `(class, text)`.
pub fn train<'t>(examples: impl Iterator<Item = (usize, &'t str)>) -> Weights {
    fit(&examples
        .map(|(class, text)| (class, features(text)))
        .collect::<Vec<_>>())
}

/// Not generic, so that it is compiled, and optimised, with this crate.
fn fit(examples: &[(usize, Vec<(u32, f32)>)]) -> Weights {
    let mut weights = Weights {
        of: vec![[0.0; CLASSES.len()]; BUCKETS],
        bias: [0.0; CLASSES.len()],
    };
    let mut order: Vec<usize> = (0..examples.len()).collect();
    let mut random = 0x2545_f491_4f6c_dd1d_u64;
    for epoch in 0..EPOCHS {
        for at in (1..order.len()).rev() {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            order.swap(at, (random % (at as u64 + 1)) as usize);
        }
        let step = STEP / (1.0 + epoch as f32 / DECAY);
        for at in &order {
            let Some((class, buckets)) = examples.get(*at) else {
                continue;
            };
            let mut error = weights.probabilities(buckets);
            for (one, error) in error.iter_mut().enumerate() {
                *error -= f32::from(u8::from(one == *class));
            }
            for (bucket, value) in buckets {
                if let Some(row) = weights.of.get_mut(*bucket as usize) {
                    for (weight, error) in row.iter_mut().zip(error) {
                        *weight -= step * value * error;
                    }
                }
            }
            for (bias, error) in weights.bias.iter_mut().zip(error) {
                *bias -= step * BIAS_STEP * error;
            }
        }
        let keep = (1.0 - step * L2).powi(i32::try_from(examples.len()).unwrap_or(i32::MAX));
        for row in &mut weights.of {
            for weight in row {
                *weight *= keep;
            }
        }
    }
    weights
}

impl Weights {
    /// Returns the probability of each class for a text of these buckets.
    pub fn probabilities(&self, buckets: &[(u32, f32)]) -> [f32; CLASSES.len()] {
        let mut scores = self.bias;
        for (bucket, value) in buckets {
            if let Some(row) = self.of.get(*bucket as usize) {
                for (score, weight) in scores.iter_mut().zip(row) {
                    *score += value * weight;
                }
            }
        }
        softmax(scores)
    }
}
