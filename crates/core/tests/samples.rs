//! Decoding accepts and refuses what an API server does, on the samples of the CRDs' rules.

use std::{fs, path::Path};

use latchkey_core::decode::{DecodeError, decode};
use latchkey_crds::{AuthPolicy, Consumer, Credential};
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Deserialize)]
struct Sample {
    case: String,
    spec: Value,
    #[serde(default)]
    refused: Vec<String>,
}

type Decode = fn(&Value) -> Result<(), DecodeError>;

#[test]
fn a_sample_is_decoded_if_an_api_server_accepts_it() {
    let kinds: [(&str, Decode); 3] = [
        ("consumers", |value| decode::<Consumer>(value).map(drop)),
        ("credentials", |value| decode::<Credential>(value).map(drop)),
        ("authpolicies", |value| decode::<AuthPolicy>(value).map(drop)),
    ];
    for (kind, decode) in kinds {
        let path =
            Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../crds/tests/samples/{kind}.yaml"));
        let samples: Vec<Sample> = serde_saphyr::from_str(&fs::read_to_string(path).unwrap()).unwrap();
        assert!(!samples.is_empty());
        for sample in samples {
            let decoded = decode(&json!({ "metadata": { "name": "sample" }, "spec": sample.spec }));
            assert_eq!(
                decoded.is_ok(),
                sample.refused.is_empty(),
                "{kind}: {}: {decoded:?}",
                sample.case
            );
        }
    }
}
