//! The description of the API: complete, of version 3.1, and true.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::house::story;
use store::testing::TestDb;

fn document() -> Value {
    serde_json::to_value(server::api::document()).unwrap()
}

#[test]
fn the_document_is_what_it_was() {
    insta::assert_json_snapshot!("openapi", document());
}

// E3
#[test]
fn the_document_is_openapi_3_1_and_every_reference_leads_somewhere() {
    let document = document();
    assert!(document["openapi"].as_str().unwrap().starts_with("3.1"));
    let text = document.to_string();
    assert!(!text.contains("nullable"));
    let mut at = 0;
    while let Some(found) = text[at..].find("\"#/") {
        let rest = &text[at + found + 2..];
        let pointer = &rest[..rest.find('"').unwrap()];
        assert!(document.pointer(pointer).is_some(), "{pointer}");
        at += found + 3;
    }
}

story! {
    // E3
    async fn the_document_and_its_page_are_served_and_load_nothing_from_outside(house: &House) {
        let served = house.http.get(format!("{}/api/openapi.json", house.url)).send().await.unwrap();
        assert_eq!(served.json::<Value>().await.unwrap(), document());
        let page = house.http.get(format!("{}/api/docs", house.url)).send().await.unwrap();
        assert_eq!(page.headers()["content-security-policy"], "default-src 'none'; style-src 'self'; frame-ancestors 'none'");
        let html = page.text().await.unwrap();
        for path in document()["paths"].as_object().unwrap().keys() {
            assert!(html.contains(path.as_str()), "{path}");
        }
        assert!(!html.contains("http://") && !html.contains("https://"), "the page stands alone");
        let attribute = |name: &str| -> BTreeSet<String> {
            html.split(name).skip(1).filter_map(|rest| rest.split('"').next()).map(str::to_owned).collect()
        };
        let nowhere: Vec<String> = attribute("href=\"#").difference(&attribute(" id=\"")).cloned().collect();
        assert_eq!(nowhere, [""; 0], "every link within the page leads somewhere");
        let called: usize = document()["paths"].as_object().unwrap().values().map(|item| item.as_object().unwrap().len()).sum();
        assert_eq!(html.matches("<pre><code>curl ").count(), called, "every call has a line for a shell");
        assert!(html.contains("curl &#34;$KEEPSAKE_URL/api/v1/conversations&#34;"), "{html}");
        let problem = house.http.get(format!("{}/problems/already-decided", house.url)).send().await.unwrap();
        assert_eq!((problem.status().as_u16(), problem.headers()["location"].to_str().unwrap()), (303, "/api/docs#already-decided"));
    }
}
