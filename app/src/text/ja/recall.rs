//! Japanese: recall.

use super::super::*;

/// Recall.
pub const RECALL: Recall = Recall {
    title: "リコール",
    button: "このメモリーをリコール",
    lead: "承認すべきでなかったメモリーのための操作です。直ちにすべてのコンテキストから外れ、どこに伝わったか、何が作られたかが分かります。",
    reason: "リコールの理由",
    reason_how: "履歴に残ります。",
    reach: |sessions, times, made| {
        let told = match sessions {
            0 => "まだどこにも伝わっていません".to_owned(),
            n => format!("{n} 件のセッションに計 {} 回伝わりました", grouped(times)),
        };
        match made {
            0 => format!("{told}。ここから作られたものはありません。"),
            n => format!("{told}。ここから {n} 件が作られました。"),
        }
    },
    recalled: |who, ago| format!("{ago}に {who} がリコールしました"),
    undo_how: "元に戻すには復元してください。",
    told: "伝わったセッション",
    told_none: "伝わったセッションはありません。",
    told_how: "Keepsake からランタイムへの通知は行いません。進行中のセッションは伝わった内容を保持しているため、運用担当者に知らせてください。",
    conversation: "会話",
    conversation_none: "名前なし",
    revisions: "リビジョン",
    times: "回数",
    last: "最後に伝わった日時",
    older: |n| format!("これより前の {} 回は表示していません。", grouped(n)),
    made: "ここから作られたもの",
    made_none: "作られたものはありません。",
    made_means: "表示対象：統合によりこれを取り込んだメモリー、これを変更または取り込む審査待ちの候補、これの根拠となる言葉を引用したパターン、その言葉が話された会話の要約。同じ会話に並んでいるだけのものは含みません。さらにその先は、それぞれを開いて確認してください。",
    by_merge: "統合",
    by_change: "審査待ちの変更",
    by_pattern: "パターン",
    by_summary: "要約",
    waits: "審査待ち",
    served_no_more: "提供していない",
    of_candidate: |who, ago| format!("このメモリーは{ago}に {who} がリコールしました。"),
    flash: "リコールしました。今後どのコンテキストにも含まれません。",
};
