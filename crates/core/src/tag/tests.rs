use super::*;

#[test]
fn a_tag_is_hmac_over_length_prefixed_fields_under_the_derived_key() {
    // python3, with enc() = concatenation of struct.pack(">Q", len(f)) + f over all fields:
    //   key = hmac.new(pepper, b"latchkey.dev/v1/key-of-published-tags", hashlib.sha256).digest()
    //   hmac.new(key, enc(b"latchkey.dev/published/1", controller, uid, b"apiKey", name, key, uid, version, digest), hashlib.sha256)
    let pepper = Pepper::new("p", &std::array::from_fn(|i| u8::try_from(i).unwrap()));
    let digest =
        Digest::from_hex("d8b68ece39fa7c6812d92f0130cd32dcf430e0cf73aabba1ee3eb2bd81ae34bd").unwrap();
    let source = SecretKeyRef {
        name: "alice-key".into(),
        key: "key".into(),
    };
    let tagged = Tagged {
        controller: "latchkey.dev/gateway-controller",
        credential_uid: "11111111-2222-3333-4444-555555555555",
        source: &source,
        secret_uid: "66666666-7777-8888-9999-000000000000",
        secret_resource_version: "4711",
        digest: &digest,
    };
    let expected = "f4bc023e85640f52ec2ab9f59605f46eb7a7d73db6ce6c2bfeece7c5ae2c6fdb";
    assert_eq!(tagged.sign(&pepper), expected);
    assert!(tagged.verify(&pepper, expected));
    assert!(!tagged.verify(&pepper, &expected.replace('e', "f")));
}
