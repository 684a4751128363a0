//! Random numbers that spread waits and choose among equals: fast, the same again from the same seed, and
//! never for secrets. Pure: whoever needs one brings the seed.

/// What is added to the state for each number.
pub const GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;

/// The number of a state: SplitMix64 (Steele, Lea, Flood 2014), every bit of which moves every bit of the
/// result. States that follow each other differ by [`GAMMA`].
pub fn mix(state: u64) -> u64 {
    let z = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// A sequence of numbers.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The sequence of a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next number.
    pub fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(GAMMA);
        mix(self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first numbers of the reference implementation.
    #[test]
    fn a_sequence_is_that_of_splitmix64() {
        let mut random = Random::new(1_234_567);
        let numbers = [(); 3].map(|()| random.roll());
        assert_eq!(
            numbers,
            [
                6_457_827_717_110_365_317,
                3_203_168_211_198_807_973,
                9_817_491_932_198_370_423
            ]
        );
    }
}
