//! What the API server takes as a label selector. Refused at start, it stops nobody later.

/// The text, if it is a label selector of one requirement or more.
pub(super) fn label_selector(text: &str) -> Result<String, String> {
    let mut in_values = false;
    let between = |c: char| {
        in_values = (in_values || c == '(') && c != ')';
        c == ',' && !in_values
    };
    if text.split(between).all(is_requirement) {
        return Ok(text.to_owned());
    }
    Err(
        "write label requirements by comma: app=shop, app!=shop, app in (shop, cart), app notin (shop), \
         app, !app"
            .to_owned(),
    )
}

fn is_requirement(text: &str) -> bool {
    let text = text.trim();
    if let Some(key) = text.strip_prefix('!') {
        return is_key(key.trim());
    }
    if let Some(set) = text.strip_suffix(')') {
        return set.split_once('(').is_some_and(|(head, values)| {
            let words: Vec<_> = head.split_whitespace().collect();
            matches!(words[..], [key, "in" | "notin"] if is_key(key))
                && values.split(',').all(|value| is_value(value.trim()))
        });
    }
    for operator in ["!=", "==", "="] {
        if let Some((key, value)) = text.split_once(operator) {
            return is_key(key.trim()) && is_value(value.trim());
        }
    }
    for operator in ['>', '<'] {
        if let Some((key, number)) = text.split_once(operator) {
            return is_key(key.trim()) && is_value(number.trim()) && number.trim().parse::<i64>().is_ok();
        }
    }
    is_key(text)
}

/// `name` or `domain/name`.
fn is_key(text: &str) -> bool {
    let (domain, name) = text
        .split_once('/')
        .map_or((None, text), |(domain, name)| (Some(domain), name));
    domain.is_none_or(|domain| super::object_name(domain).is_ok()) && !name.is_empty() && is_value(name)
}

fn is_value(text: &str) -> bool {
    let inside = |c: u8| c.is_ascii_alphanumeric() || b"-_.".contains(&c);
    let ends = [text.bytes().next(), text.bytes().last()];
    text.len() <= 63 && text.bytes().all(inside) && ends.iter().flatten().all(u8::is_ascii_alphanumeric)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_of_the_api_is_taken_as_it_is() {
        for text in [
            "purpose=api-key",
            "a==b, c!=d",
            "latchkey.dev/purpose in (key, token),!legacy,tier",
            "a notin(b)",
            "a=",
            "a in (b,)",
            "size>3,size < 9",
        ] {
            assert_eq!(label_selector(text).as_deref(), Ok(text));
        }
    }

    #[test]
    fn what_is_none_is_refused_with_the_forms_there_are() {
        for text in [
            "",
            " ",
            ",",
            ",,",
            "a=b,",
            ",a=b",
            "=b",
            "!",
            "a b",
            "a=b=c",
            "a in",
            "a in ()x",
            "a in (b",
            "a in b)",
            "in (b)",
            "a within (b)",
            "a>b",
            "A/b/c=d",
            "/b",
            "a/",
            "-a",
            "a=b c",
            "a=b&c=d",
            "a=\u{e4}",
            "a in ((b))",
        ] {
            let error = label_selector(text).unwrap_err();
            assert!(error.contains("app in (shop, cart)"), "{text:?}: {error}");
        }
        assert!(label_selector(&"a".repeat(64)).is_err(), "too long");
    }
}
