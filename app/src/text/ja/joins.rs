//! Japanese: ids that are one person.

use domain::join::JoinState;

use super::super::*;

/// Ids that are one person.
pub const JOINS: Joins = Joins {
    section: "このユーザーの他の ID",
    lead: "2つの ID が結合されている間、エージェントにはどちらの ID についても両方の内容が渡されます。何も移動されません。それぞれの ID は自分の下で話された内容を保ち、分離すればそのまま元に戻ります。",
    none: "他の ID は知られていません。",
    title: "提案された結合",
    waits_lead: "エージェントが、2つの ID は同じ人だと言っています。結合すると、ゲスト ID の内容はサインイン ID の相手に、その逆も同様に渡されます。確かなものだけを結合してください。",
    waits_none: "待っている結合はありません",
    waits_none_how: "エージェントが API から提案します。ユーザーのページで自分で結合することもできます。",
    state: |state| match state {
        JoinState::Proposed => "提案中",
        JoinState::Joined => "結合済み",
        JoinState::Split => "分離済み",
        JoinState::Declined => "却下",
    },
    guest: "ゲスト ID",
    main: "サインイン ID",
    this_id: "この ID",
    made: |who, when| format!("{who}、{when}"),
    decided: |who, when| format!("最後の決定: {who}、{when}"),
    why_proposed: "提案の理由",
    why_joined: "結合の理由",
    why_ended: "終了の理由",
    join: "結合",
    decline: "却下",
    split: "分離",
    split_how: "以後、それぞれの ID には自身の内容だけが渡されます。",
    undo: "取り消す",
    reason: "理由",
    reason_how: "どうして分かったか。決定とともに保存されます。",
    add: "別の ID と結合",
    add_how: "どちらの ID もこのエージェントに知られている必要があります。ゲスト ID が属するサインイン ID は1つだけなので、どちらが優先されるかは常に明らかです。",
    other: "もう一方の ID",
    other_how: "エージェントでの呼び名、または usr_…",
    role: "ゲスト ID はどちらか",
    other_is_guest: "もう一方。このページはサインイン ID のもの",
    this_is_guest: "このページの ID。もう一方がサインイン ID",
    submit: "2つを結合",
    conflicts: "互いに矛盾しています",
    conflicts_how: "エージェントには先に示したものが渡されます。変えるには、どちらか一方を廃止するか変更してください。",
    told: "渡される",
    silent: "渡されない",
    elsewhere: "このユーザーの別の ID ではこう言っています",
    erased_with: "一緒に消去されるもの",
    stays: |who| {
        format!(
            "これは {who} のゲスト ID です。その ID は残ります。その ID をそのページで消去すれば、この ID も一緒に消去されます。"
        )
    },
    overview: |_| "提案された結合".into(),
    flash_joined: "結合しました。どちらの ID についても両方の内容が渡されます。",
    flash_split: "分離しました。それぞれの ID は元の内容に戻りました。",
    flash_declined: "却下しました",
    flash_waits: "再び決定を待っています",
    flash_moved: "ページの表示後に別の決定がされました。もう一度ご確認ください。",
};
