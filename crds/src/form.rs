//! The forms that texts in our kinds may have: as a CEL rule for the API server and as a function
//! for objects that it never checked, side by side so that they cannot drift apart unseen.

use kube::core::Rule;

/// The form of a text.
pub(crate) struct Form {
    /// RE2, without quotes and backslashes: it stands inside a CEL string.
    pattern: &'static str,
    /// The same as a function.
    holds: fn(&str) -> bool,
    /// What to write instead. Follows the field's path.
    pub(crate) message: &'static str,
    /// The longest such text, in characters. Also what bounds the rule's cost on the API server.
    pub(crate) longest: usize,
}

impl Form {
    /// The rule for a text.
    pub(crate) fn rule(&self) -> Rule {
        Rule::new(format!("self.matches(\"{}\")", self.pattern)).message(self.message)
    }

    /// The rule for a list of such texts.
    pub(crate) fn rule_for_each(&self) -> Rule {
        Rule::new(format!("self.all(item, item.matches(\"{}\"))", self.pattern))
            .message(format!("each item {}", self.message).as_str())
    }

    /// Whether a text has this form. Its length is another matter.
    pub(crate) fn fits(&self, text: &str) -> bool {
        (self.holds)(text)
    }
}

/// Longest name of a Kubernetes object of most kinds.
pub(crate) const NAME_LENGTH: usize = 253;
/// Longest name of a namespace.
pub(crate) const NAMESPACE_LENGTH: usize = 63;
/// Longest `username` and `customID`.
pub(crate) const USERNAME_LENGTH: usize = 256;
/// Longest group: with [`GROUPS`] of them the joined header stays close to 8 KiB.
pub(crate) const GROUP_LENGTH: usize = 128;
/// Longest name of a header or query parameter that may hold a key.
pub(crate) const PLACE_LENGTH: usize = 128;
/// SHA-256 in hex.
pub(crate) const SHA256_LENGTH: usize = 64;

/// Most groups of a Consumer.
pub(crate) const GROUPS: usize = 64;
/// Most blocks that stand in a Credential's status: two peppers during a rotation, for some controllers.
pub(crate) const PUBLISHED: usize = 16;
/// Most targets of an AuthPolicy.
pub(crate) const TARGETS: usize = 16;
/// Most elements of an AuthPolicy's `status.ancestors` (Gateway API).
pub(crate) const ANCESTORS: usize = 16;
/// Most methods of an AuthPolicy.
pub(crate) const METHODS: usize = 8;
/// Most places of a method.
pub(crate) const PLACES: usize = 16;
/// Most namespaces that an AuthPolicy lists.
pub(crate) const NAMESPACES: usize = 64;

/// A header value that survives every parser unchanged.
pub(crate) const USERNAME: Form = Form {
    pattern: "^[!-~]([ -~]*[!-~])?$",
    holds: |text| printable_without_blank_edges(text),
    message: "must be printable ASCII without a blank at either edge, because it becomes a header's value",
    longest: USERNAME_LENGTH,
};

/// A part of a comma-separated header value.
pub(crate) const GROUP: Form = Form {
    pattern: "^[!-+.-~-]([ -+.-~-]*[!-+.-~-])?$",
    holds: |text| printable_without_blank_edges(text) && !text.contains(','),
    message: "must be printable ASCII without commas and without a blank at either edge, because groups become one comma-separated header",
    longest: GROUP_LENGTH,
};

/// The name of an object.
pub(crate) const NAME: Form = Form {
    pattern: "^[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*$",
    holds: |text| text.split('.').all(dns_label),
    message: "must be an object's name: lower-case letters, digits, '-' and '.', with a letter or digit at both edges",
    longest: NAME_LENGTH,
};

/// The name of a namespace, or all of them.
pub(crate) const NAMESPACE_OR_ALL: Form = Form {
    pattern: "^([*]|[a-z0-9]([-a-z0-9]*[a-z0-9])?)$",
    holds: |text| text == "*" || dns_label(text),
    message: "must be the name of a namespace, or '*' for all of them",
    longest: NAMESPACE_LENGTH,
};

/// A key in a Secret's `data`.
pub(crate) const DATA_KEY: Form = Form {
    pattern: "^[-._a-zA-Z0-9]+$",
    holds: |text| {
        all_of(text, |byte| {
            byte.is_ascii_alphanumeric() || b"-._".contains(&byte)
        })
    },
    message: "must be a key of the Secret's data: letters, digits, '-', '_' and '.'",
    longest: NAME_LENGTH,
};

/// A SHA-256 in hex.
pub(crate) const SHA256: Form = Form {
    pattern: "^[0-9a-fA-F]{64}$",
    holds: |text| text.len() == SHA256_LENGTH && text.bytes().all(|byte| byte.is_ascii_hexdigit()),
    message: "must be the SHA-256 of the key as 64 hex digits (printf %s KEY | sha256sum), never the key itself",
    longest: SHA256_LENGTH,
};

/// A header's name (RFC 9110, section 5.6.2: token).
pub(crate) const HEADER: Form = Form {
    pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$",
    holds: |text| {
        all_of(text, |byte| {
            byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
        })
    },
    message: "must be a header's name such as X-API-Key: letters, digits and !#$%&'*+-.^_`|~",
    longest: PLACE_LENGTH,
};

/// A query parameter's name, as it is after percent-decoding.
pub(crate) const QUERY: Form = Form {
    pattern: "^[!-~]+$",
    holds: |text| all_of(text, |byte| byte.is_ascii_graphic()),
    message: "must be a query parameter's name in printable ASCII without blanks, as it is after percent-decoding",
    longest: PLACE_LENGTH,
};

fn printable_without_blank_edges(text: &str) -> bool {
    all_of(text, |byte| matches!(byte, b' '..=b'~')) && !text.starts_with(' ') && !text.ends_with(' ')
}

fn dns_label(text: &str) -> bool {
    all_of(text, |byte| {
        byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-'
    }) && !text.starts_with('-')
        && !text.ends_with('-')
}

/// Whether there is something, and all of it is of the class.
fn all_of(text: &str, class: impl Fn(u8) -> bool) -> bool {
    !text.is_empty() && text.bytes().all(class)
}
