//! Quantiles, and how sure one is. Pure.

/// How often the bootstrap draws.
const DRAWS: usize = 2_000;

/// The middle value.
pub fn median(values: &[f64]) -> f64 {
    quantile(values, 0.5)
}

/// The lower quartile, the median and the upper quartile.
pub fn quartiles(values: &[f64]) -> [f64; 3] {
    [0.25, 0.5, 0.75].map(|share| quantile(values, share))
}

/// The value below which this share of the values lies.
pub fn quantile(values: &[f64], share: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let Some(last) = sorted.len().checked_sub(1) else {
        return f64::NAN;
    };
    let place = share * last as f64;
    let low = place.floor();
    let below = sorted[index(low, last)];
    let above = sorted[index(place.ceil(), last)];
    below + (above - below) * (place - low)
}

/// A bootstrap 95 % interval of a quantile. The draws are the same in every run: what varies
/// between two reports is what was measured.
pub fn interval(values: &[f64], share: f64) -> (f64, f64) {
    if values.is_empty() {
        return (f64::NAN, f64::NAN);
    }
    let mut random: u64 = 0x9E37_79B9_7F4A_7C15;
    let mut draw = || {
        // xorshift64: any even spread does.
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        // Less than the length, which is a `usize`.
        values[usize::try_from(random % values.len() as u64).unwrap_or_default()]
    };
    let drawn: Vec<_> = (0..DRAWS)
        .map(|_| {
            let sample: Vec<_> = (0..values.len()).map(|_| draw()).collect();
            quantile(&sample, share)
        })
        .collect();
    (quantile(&drawn, 0.025), quantile(&drawn, 0.975))
}

#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a whole number between 0 and the last index"
)]
fn index(place: f64, last: usize) -> usize {
    (place as usize).min(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_of_an_even_number_lies_between_the_middle_two() {
        assert!((median(&[4.0, 1.0, 3.0, 2.0]) - 2.5).abs() < 1e-9);
        assert!((median(&[7.0]) - 7.0).abs() < 1e-9);
    }

    #[test]
    fn of_nothing_nothing_is_said() {
        assert!(quantile(&[], 0.5).is_nan());
        let (low, high) = interval(&[], 0.99);
        assert!(low.is_nan() && high.is_nan());
    }

    #[test]
    fn the_interval_holds_the_median_and_narrows_with_agreement() {
        let wide: Vec<_> = (0..40).map(f64::from).collect();
        let (low, high) = interval(&wide, 0.5);
        assert!(low < median(&wide) && median(&wide) < high);
        let (low, high) = interval(&[5.0; 40], 0.5);
        assert!((high - low).abs() < 1e-9);
    }
}
