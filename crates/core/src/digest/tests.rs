use super::*;

#[test]
fn a_key_hash_is_sha_256() {
    // python3: hashlib.sha256(b"correct-horse-battery-staple")
    let expected = "87cbebfeebc05f7c54ac9336c4b4bbec831227a641951a4bde7edd56020f8590";
    assert_eq!(
        hex::encode(KeyHash::of(b"correct-horse-battery-staple").0),
        expected
    );
}

#[test]
fn a_digest_is_hmac_sha_256_of_the_hash_under_the_pepper() {
    // python3: hmac.new(pepper, hashlib.sha256(key).digest(), hashlib.sha256)
    let ascending: [u8; 32] = std::array::from_fn(|i| u8::try_from(i).unwrap());
    for (pepper, key, expected) in [
        (
            ascending,
            &b"correct-horse-battery-staple"[..],
            "d8b68ece39fa7c6812d92f0130cd32dcf430e0cf73aabba1ee3eb2bd81ae34bd",
        ),
        (
            [0xff; 32],
            b"",
            "aced43186efe807b216ec2a04a7e4bca1bb933b53310a948c42ffac6bc5a995d",
        ),
    ] {
        let digest = Pepper::new("p", &pepper).digest(&KeyHash::of(key));
        assert_eq!(digest.to_hex(), expected);
        assert_eq!(Digest::from_hex(expected), Some(digest));
    }
}

#[test]
fn only_64_hex_digits_are_a_hash() {
    let hash = KeyHash::of(b"key");
    let text = hex::encode(hash.0);
    assert_eq!(KeyHash::from_hex(&text), Some(hash));
    assert_eq!(KeyHash::from_hex(&text.to_uppercase()), Some(hash));
    for wrong in [
        "",
        &text[1..],
        &format!("{text}0"),
        &format!("{}g", &text[1..]),
        &format!(" {}", &text[1..]),
    ] {
        assert_eq!(KeyHash::from_hex(wrong), None, "{wrong:?}");
    }
}

#[test]
fn debug_output_shows_no_key_material() {
    let pepper = Pepper::new("p1", &[0xab; 32]);
    let hash = KeyHash::of(b"key");
    let shown = format!("{pepper:?} {hash:?} {:?}", pepper.digest(&hash));
    assert_eq!(shown, "Pepper(\"p1\") KeyHash(..) Digest(..)");
}
