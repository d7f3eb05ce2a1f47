use super::*;

fn said(text: &str) -> String {
    turn(text, true, false).unwrap_or_else(|| panic!("{text}"))
}

// A13
#[test]
fn the_three_reference_sentences() {
    assert_eq!(
        said("I prefer code examples in Python rather than pseudocode"),
        "User prefers code examples in Python rather than pseudocode"
    );
    assert_eq!(
        said("I'm the CTO of StartupCorp and we're building a SaaS platform"),
        "User is the CTO of StartupCorp and User's team is building a SaaS platform"
    );
    assert_eq!(
        said("We launch our product next month, so I need everything ready quickly"),
        "User's team launches their product next month, so User needs everything ready quickly"
    );
}

#[test]
fn verbs_agree_and_nobody_speaks() {
    for (from, to) in [
        (
            "By the way, I'm allergic to peanuts",
            "User is allergic to peanuts",
        ),
        (
            "I live in Oslo and work at Google",
            "User lives in Oslo and works at Google",
        ),
        (
            "I don't like my coffee cold",
            "User doesn't like their coffee cold",
        ),
        (
            "I've worked with Rust for 5 years",
            "User has worked with Rust for 5 years",
        ),
        ("I moved to Lisbon in May", "User moved to Lisbon in May"),
        (
            "I'd rather read than watch",
            "User would rather read than watch",
        ),
        ("I usually study at night", "User usually studies at night"),
        ("I like to hike and swim", "User likes to hike and swim"),
        ("My name is Ana", "User's name is Ana"),
        ("As a student", "User is a student"),
        (
            "Always answer in French",
            "User asks to always answer in French",
        ),
        ("please don't use emojis", "User asks not to use emojis"),
        ("Call me Sam", "User asks to be called Sam"),
        (
            "I want you to be brief",
            "User wants the assistant to be brief",
        ),
        ("We have two kids", "User's family has two kids"),
        (
            "I'm the CFO and we're opening two warehouses",
            "User is the CFO and User's group is opening two warehouses",
        ),
        ("Since I'm vegan", "User is vegan"),
        (
            "I regularly advise builders and I supply them with tools",
            "User regularly advises builders and supplies them with tools",
        ),
        (
            "I'm 52 and I've never learned to drive",
            "User is 52 and has never learned to drive",
        ),
        (
            "Just got laid off, so I'm looking around",
            "User just got laid off, so User is looking around",
        ),
        ("Always tabs", "User's preference: always tabs"),
        ("I know what should I do", "User knows what should User do"),
        (
            "Use short lines when you write to me",
            "User asks to use short lines when the assistant writes to them",
        ),
        ("allergic to nuts", "User is allergic to nuts"),
        ("tabs over spaces", "User's preference: tabs over spaces"),
        (
            "Keep your answers short, please",
            "User asks to keep the assistant's answers short",
        ),
    ] {
        assert_eq!(said(from), to);
    }
}

// A13
#[test]
fn adverbs_stand_where_a_person_would_write_them() {
    let mut wrong = Vec::new();
    for (from, to) in [
        ("I no longer work at Acme", "User no longer works at Acme"),
        (
            "We no longer run campaign Beta",
            "User's team no longer runs campaign Beta",
        ),
        (
            "Currently I am working on a paper",
            "User is currently working on a paper",
        ),
        (
            "Currently I'm working on a paper",
            "User is currently working on a paper",
        ),
        (
            "Currently working on a paper",
            "User is currently working on a paper",
        ),
        ("Actually I live in Berlin", "User lives in Berlin"),
        ("Sometimes I prefer tea", "User sometimes prefers tea"),
        ("Usually, I can't sleep", "User usually can't sleep"),
        ("Recently I moved to Oslo", "User recently moved to Oslo"),
        (
            "I hardly ever drink coffee",
            "User hardly ever drinks coffee",
        ),
        ("I very much like jazz", "User very much likes jazz"),
        ("I quite like jazz", "User quite likes jazz"),
        ("I kind of like jazz", "User kind of likes jazz"),
        ("I once lived in Rome", "User once lived in Rome"),
        ("I myself prefer tabs", "User themselves prefers tabs"),
        ("As for me, I like tea", "User likes tea"),
        (
            "My wife and I live in Oslo",
            "User's wife and User live in Oslo",
        ),
        (
            "I don't eat meat or drink alcohol",
            "User doesn't eat meat or drink alcohol",
        ),
        ("I love food and drink", "User loves food and drink"),
        ("I wanna learn Go", "User wants to learn Go"),
        (
            "I'd worked at Acme before",
            "User had worked at Acme before",
        ),
        ("I forgot my password", "User forgot their password"),
        ("Wellness is my hobby", "Wellness is User's hobby"),
        ("In May I moved to Lisbon", "In May User moved to Lisbon"),
        ("I think I need tea", "User thinks User needs tea"),
    ] {
        let turned = said(from);
        if turned != to {
            wrong.push((from, turned));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

// A13
#[test]
fn what_would_read_broken_is_quoted() {
    let texts = [
        "I, like most people, hate spam",
        "I for one hate spam",
        "I and my wife live in Oslo",
        "I as a developer prefer tabs",
        "I (a developer) prefer tabs",
        "I - like most people - hate spam",
        "Never have I liked tea",
        "Luckily I live in Berlin",
    ];
    let turned: Vec<_> = texts
        .iter()
        .filter_map(|text| turn(text, true, false))
        .collect();
    assert!(turned.is_empty(), "{turned:#?}");
}

#[test]
fn what_no_rule_fits_is_left() {
    assert_eq!(turn("The company is called Initech", false, false), None);
    assert_eq!(
        turn("the deadline is Friday", false, true).as_deref(),
        Some("The deadline is Friday")
    );
}
