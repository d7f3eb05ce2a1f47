//! Japanese: an earlier instant, and one answer that an agent got.

use super::super::*;

/// An earlier instant.
pub const AS_OF: AsOf = AsOf {
    title: "その時点で記憶されていた内容",
    lead: "ある時点で、この人について承認済みだった内容、審査待ちだった内容、それまでにエージェントに渡された内容です。",
    link: "過去の時点を見る",
    link_how: "任意の時点で、何が承認済みで、何が審査待ちで、何が渡されていたかを確認できます。",
    at: |zone| format!("日時（{zone}）"),
    at_how: "ブラウザーのタイムゾーンです。レビュー画面を開くまではUTCになります。",
    show: "表示",
    then: |local, utc| format!("{local}時点（{utc}）"),
    same: "この時点へのリンク（どのタイムゾーンでも同じ）",
    export: "この内容をエクスポート",
    export_how: "この内容を含む監査人向けのエクスポートです。Keepsake がなくても誰でも検証できます。",
    known: "承認済みで有効だった内容",
    known_none: "承認済みの内容はありませんでした。",
    memory: "メモリー",
    approved: "承認日時",
    by: "承認者",
    agreed: |who| format!("先に{who}さんが同意"),
    ends: "当時の有効期限",
    waiting: "審査待ちだった内容",
    waiting_none: "審査待ちはありませんでした。",
    since: "待ち始め",
    until: "当時の期限",
    served: "それまでにエージェントに渡された内容",
    served_none: "何も渡されていませんでした。",
};

/// One answer that an agent got.
pub const SERVED: Served = Served {
    title: "渡された内容",
    lead: "エージェントが受け取った1回分の回答です。各内容は、渡された時点の版で示しています。",
    told: |n| format!("メモリー{}件を提供", grouped(n)),
    in_session: |session| format!("セッション {session}"),
    in_no_session: "セッション名なし",
    session: "セッション",
    tokens: |n| format!("約{}トークン", grouped(n)),
    cut: |n| format!("{}件を省略", grouped(n)),
    nothing: "空の文でした。何も渡されていません。",
    gone: "この版の内容は残っていません。",
    see: "渡された内容",
};
