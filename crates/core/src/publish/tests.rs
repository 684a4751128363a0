use proptest::prelude::*;

use super::*;

const KEY: &[u8] = b"correct-horse-battery-staple";

fn pepper(id: &str, byte: u8) -> Pepper {
    Pepper::new(id, &[byte; 32])
}

fn source() -> SecretKeyRef {
    SecretKeyRef {
        name: "alice-key".into(),
        key: "key".into(),
    }
}

fn subject<'a>(credential_uid: &'a str, source: &'a SecretKeyRef) -> Subject<'a> {
    Subject {
        credential_uid,
        source,
    }
}

fn block(source: &SecretKeyRef, pepper: &Pepper) -> PublishedKey {
    let secret = SecretVersion {
        uid: "secret-uid",
        resource_version: "4711",
    };
    publish(
        subject("uid-a", source),
        secret,
        KEY,
        pepper,
        "latchkey.dev/gateway-controller",
    )
}

#[test]
fn one_final_line_end_is_cut() {
    for value in [
        &b"0123456789abcdef"[..],
        b"0123456789abcdef\n",
        b"0123456789abcdef\r\n",
    ] {
        assert_eq!(key_material(value, 16), Ok(&b"0123456789abcdef"[..]));
    }
}

#[test]
fn what_cannot_be_a_key_is_refused_with_its_own_reason() {
    let long = [b'a'; MAX_KEY_LENGTH + 1];
    for (value, refusal) in [
        (&b""[..], KeyRefusal::Empty),
        (b"\n", KeyRefusal::Empty),
        (b"\r\n", KeyRefusal::Empty),
        (b" ", KeyRefusal::Empty),
        (b" \t \n", KeyRefusal::Empty),
        (b"\n\n", KeyRefusal::Empty),
        (b" 0123456789abcdef", KeyRefusal::BlankEdge),
        (b"0123456789abcdef ", KeyRefusal::BlankEdge),
        (b"0123456789abcdef\t\n", KeyRefusal::BlankEdge),
        (b"0123456789abcdef\n\n", KeyRefusal::BlankEdge),
        (b"0123456789abcdef\r", KeyRefusal::BlankEdge),
        (b"\n0123456789abcdef", KeyRefusal::BlankEdge),
        (b"01234567\089abcdef", KeyRefusal::Nul),
        (b"01234567\n89abcdef", KeyRefusal::Control),
        (b"01234567\t89abcdef", KeyRefusal::Control),
        (b"0123456789abcdef\x7f", KeyRefusal::Control),
        ("0123456789abcdéf".as_bytes(), KeyRefusal::NonAscii),
        (b"0123456789abcdef\xff", KeyRefusal::NonAscii),
        (b"0123456789abcde", KeyRefusal::TooShort { minimum: 16 }),
        (b"0123456789abcde\n", KeyRefusal::TooShort { minimum: 16 }),
        (&long, KeyRefusal::TooLong),
    ] {
        assert_eq!(
            key_material(value, 16),
            Err(refusal),
            "{:?}",
            value.escape_ascii().to_string()
        );
    }
}

#[test]
fn the_limits_of_length_are_inside() {
    assert!(key_material(&[b'a'; 16], 16).is_ok());
    let mut longest = vec![b'a'; MAX_KEY_LENGTH];
    longest.push(b'\n');
    assert!(key_material(&longest, 16).is_ok());
}

#[test]
fn a_blank_inside_is_part_of_the_key() {
    assert_eq!(
        key_material(b"01234567 89abcdef", 16),
        Ok(&b"01234567 89abcdef"[..])
    );
}

#[test]
fn what_was_published_is_accepted_and_is_what_a_gateway_looks_up() {
    let (source, pepper) = (source(), pepper("p1", 1));
    let block = block(&source, &pepper);
    assert_eq!(block.format, FORMAT);
    assert_eq!(block.pepper_id, "p1");
    assert_eq!(
        accept(&block, subject("uid-a", &source), &pepper),
        Some(pepper.digest(&KeyHash::of(KEY)))
    );
}

#[test]
fn a_block_counts_for_its_own_credential_source_and_pepper_only() {
    let (source, p1) = (source(), pepper("p1", 1));
    let block = block(&source, &p1);
    let other_name = SecretKeyRef {
        name: "other".into(),
        ..source.clone()
    };
    let other_key = SecretKeyRef {
        key: "other".into(),
        ..source.clone()
    };
    assert_eq!(
        accept(&block, subject("uid-b", &source), &p1),
        None,
        "another Credential"
    );
    assert_eq!(
        accept(&block, subject("uid-a", &other_name), &p1),
        None,
        "another Secret in spec"
    );
    assert_eq!(
        accept(&block, subject("uid-a", &other_key), &p1),
        None,
        "another data key in spec"
    );
    assert_eq!(
        accept(&block, subject("uid-a", &source), &pepper("p2", 1)),
        None,
        "another pepper's id"
    );
    assert_eq!(
        accept(&block, subject("uid-a", &source), &pepper("p1", 2)),
        None,
        "another pepper"
    );
}

#[test]
fn a_block_with_any_field_changed_is_ignored() {
    let (source, pepper) = (source(), pepper("p1", 1));
    let good = block(&source, &pepper);
    let neighbour = pepper.digest(&KeyHash::of(b"a neighbour's key")).to_hex();
    type Change = fn(&mut PublishedKey, &str);
    let changes: &[(&str, Change)] = &[
        ("format", |block, _| block.format = 2),
        ("controller", |block, _| block.controller_name.push('x')),
        ("pepper id", |block, _| block.pepper_id.push('x')),
        ("digest", |block, neighbour| block.digest = neighbour.to_owned()),
        ("digest that is none", |block, _| block.digest = "zz".repeat(32)),
        ("source name", |block, _| block.source.name.push('x')),
        ("source key", |block, _| block.source.key.push('x')),
        ("Secret uid", |block, _| block.secret_uid.push('x')),
        ("Secret version", |block, _| {
            block.secret_resource_version.push('1');
        }),
        ("tag", |block, neighbour| block.tag = neighbour.to_owned()),
        ("empty tag", |block, _| block.tag.clear()),
    ];
    for (what, change) in changes {
        let mut block = good.clone();
        change(&mut block, &neighbour);
        assert_eq!(accept(&block, subject("uid-a", &source), &pepper), None, "{what}");
    }
}

#[test]
fn moving_bytes_between_neighbouring_fields_breaks_the_tag() {
    let (source, pepper) = (source(), pepper("p1", 1));
    let mut block = block(&source, &pepper);
    block.secret_uid.push('4');
    block.secret_resource_version.remove(0);
    assert_eq!(accept(&block, subject("uid-a", &source), &pepper), None);
}

proptest! {
    #[test]
    fn a_key_is_printable_ascii_within_its_limits(value in proptest::collection::vec(any::<u8>(), 0..40)) {
        match key_material(&value, 4) {
            Ok(key) => {
                prop_assert!(key.len() >= 4 && key.iter().all(|byte| matches!(byte, b' '..=b'~')));
                prop_assert!(!key.starts_with(b" ") && !key.ends_with(b" "));
                prop_assert!(value.starts_with(key) && value.len() - key.len() <= 2);
            }
            Err(refusal) => prop_assert!(!refusal.to_string().is_empty()),
        }
    }

    #[test]
    fn a_printable_key_survives_whatever_line_end_an_editor_leaves(
        key in "[!-~][ -~]{14,60}[!-~]",
        end in prop_oneof![Just(""), Just("\n"), Just("\r\n")],
    ) {
        let value = format!("{key}{end}");
        prop_assert_eq!(key_material(value.as_bytes(), 16), Ok(key.as_bytes()));
    }
}
