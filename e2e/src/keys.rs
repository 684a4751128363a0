//! The keys of the suite. Every key comes from here and carries a mark of this run, so that each
//! captured log can be searched for key material when its process ends.

use std::{
    collections::HashSet,
    process,
    sync::{LazyLock, Mutex, PoisonError},
    time::{SystemTime, UNIX_EPOCH},
};

use base64::{Engine, engine::general_purpose::STANDARD_NO_PAD, engine::general_purpose::URL_SAFE_NO_PAD};
use sha2::{Digest, Sha256};

/// Stands in every key of this run and nowhere else. Letters and digits only, so that it survives
/// every quoting.
static MARK: LazyLock<String> = LazyLock::new(|| {
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |age| age.as_nanos());
    let hash = Sha256::digest(format!("{} {now}", process::id()));
    format!("lk{}", hex::encode(&hash[..8]))
});

/// The hashes of all keys made so far, as the three texts in which a log might hold them.
static HASHES: Mutex<Option<HashSet<String>>> = Mutex::new(None);

/// Other texts that no output may hold, and what each is.
static GUARDED: Mutex<Vec<(&'static str, String)>> = Mutex::new(Vec::new());

/// From now on no output may hold this text, whatever it is: a token, a pepper.
pub fn guard(what: &'static str, text: &str) {
    GUARDED
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .push((what, text.to_owned()));
}

/// A new key; the name is for the reader of a failed test.
pub fn key(name: &str) -> String {
    let mut hashes = HASHES.lock().unwrap_or_else(PoisonError::into_inner);
    let hashes = hashes.get_or_insert_default();
    let key = format!("{}-{name}-{}", *MARK, hashes.len());
    let hash = Sha256::digest(&key);
    hashes.insert(hex::encode(hash));
    hashes.insert(STANDARD_NO_PAD.encode(hash));
    hashes.insert(URL_SAFE_NO_PAD.encode(hash));
    key
}

/// What a Credential's `sha256` holds for a key.
pub fn sha256(key: &str) -> String {
    hex::encode(Sha256::digest(key))
}

/// What of any key stands in a text, and where; `None` if nothing does. The finding never quotes it.
pub fn leak(text: &[u8]) -> Option<String> {
    let at = |kind: &str, position: usize| {
        let line = text[..position].iter().filter(|b| **b == b'\n').count() + 1;
        Some(format!("{kind} in line {line}"))
    };
    let guarded = GUARDED.lock().unwrap_or_else(PoisonError::into_inner).clone();
    for (kind, needle) in marks().into_iter().chain(guarded) {
        if let Some(position) = find(text, needle.as_bytes()) {
            return at(kind, position);
        }
    }
    let hashes = HASHES.lock().unwrap_or_else(PoisonError::into_inner);
    let hashes = hashes.as_ref()?;
    let hex_length = 64;
    let base64_length = 43;
    let mut start = 0;
    for word in text.split(|b| !(b.is_ascii_alphanumeric() || b"+/-_".contains(b))) {
        for length in [hex_length, base64_length] {
            for window in word.windows(length) {
                // The words are ASCII by how they were split.
                let window = String::from_utf8_lossy(window);
                if hashes.contains(&*window) || hashes.contains(&window.to_ascii_lowercase()) {
                    return at("a key's hash", start);
                }
            }
        }
        start += word.len() + 1;
    }
    None
}

/// The mark as it would look in a log: as it is, in base64 at each of the three alignments (less
/// the edge characters that neighbours reach into), in hex, and as a printed byte slice.
fn marks() -> Vec<(&'static str, String)> {
    let mark = MARK.as_bytes();
    let mut marks = vec![
        ("a key", MARK.clone()),
        ("a key in hex", hex::encode(mark)),
        ("a key in hex", hex::encode_upper(mark)),
        ("a key as a byte slice", {
            let bytes: Vec<_> = mark.iter().map(u8::to_string).collect();
            bytes.join(", ")
        }),
    ];
    for offset in 0..3 {
        let mut shifted = vec![b'.'; offset];
        shifted.extend_from_slice(mark);
        let text = STANDARD_NO_PAD.encode(&shifted);
        let whole = &text[(offset * 4).div_ceil(3)..shifted.len() / 3 * 4];
        marks.push(("a key in base64", whole.to_owned()));
    }
    marks
}

fn find(text: &[u8], needle: &[u8]) -> Option<usize> {
    // `str`'s search is the standard library's fast one; logs are UTF-8 unless something leaks bytes.
    match std::str::from_utf8(text) {
        Ok(text) => text.find(std::str::from_utf8(needle).ok()?),
        Err(_) => text.windows(needle.len()).position(|window| window == needle),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_of_a_key_is_found() {
        let key = key("found");
        let hash = Sha256::digest(&key);
        for text in [
            key.clone(),
            hex::encode(&key),
            STANDARD_NO_PAD.encode(&key),
            STANDARD_NO_PAD.encode(format!("a:{key}")),
            STANDARD_NO_PAD.encode(format!("ab:{key}")),
            format!("{:?}", key.as_bytes()),
            hex::encode(hash),
            hex::encode_upper(hash),
            format!("digest={}, rest", hex::encode(hash)),
            STANDARD_NO_PAD.encode(hash),
        ] {
            assert!(
                leak(format!("first line\n{text} tail").as_bytes()).is_some(),
                "{text}"
            );
        }
        assert_eq!(leak(b"nothing of the kind"), None);
        assert_eq!(leak(b"\xff nothing of the kind"), None);
    }

    #[test]
    fn a_finding_names_the_line_and_not_the_key() {
        let key = key("named");
        assert_eq!(
            leak(format!("one\ntwo {key}").as_bytes()),
            Some("a key in line 2".into())
        );
    }
}
