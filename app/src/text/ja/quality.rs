//! Japanese: quality, decisions, jobs.

use domain::schedule::ScheduleName;

use super::super::*;

/// How extraction does and how people decide.
pub const QUALITY: Quality = Quality {
    title: "品質",
    lead: "人が判断し、今も有効なものだけを数えます。承認率＝承認÷（承認＋却下）、不要率＝却下÷（承認＋却下）。",
    span: "期間",
    days: |n| format!("{n}日間"),
    today: "今日",
    show: "表示",
    nothing: "この期間に判断はありません",
    nothing_how: "候補が承認・却下されると数値が現れます。期間を延ばすか、レビューへ進んでください。",
    percent: |n| format!("{n}%"),
    under_one_percent: "1%未満",
    seconds: |seconds| format!("{seconds:.1}秒"),
    median_and_p90: |median, p90| format!("{median}・9割は{p90}以内"),
    decided: |_| "件を人が判断".into(),
    acceptance: "承認率",
    junk: "不要率",
    edited: "編集して承認した割合",
    waited: "提案から判断まで（中央値）",
    viewed: "表示から判断まで（中央値）",
    left_out: |policies, expired, superseded| {
        format!(
            "次のものは含みません：ポリシーによる承認{}件、未判断のまま期限切れ{}件、新しい発言による差し替え{}件。",
            grouped(policies),
            grouped(expired),
            grouped(superseded)
        )
    },
    table: "表で見る",
    by_kind: "種類別の承認率",
    by_extractor: "抽出器・プロンプト別の承認率",
    by_language: "言語別の承認率",
    extractor: "抽出器",
    language: "言語",
    by_hand: "手動、またはKeepsake自身",
    approved: "承認",
    rejected: "却下",
    answers: "応答",
    failed: "読み取れず",
    truncated: "途中で終了",
    calibration: "確信度と承認率",
    calibration_how: "確信度が適切なら、棒は線に沿います。",
    rejected_for: "却下の理由",
    reason: "理由",
    count: "件数",
    people: "判断のしかた",
    people_how: "2秒未満の判断は、ほとんど読まれていません。表示時間はスクリプトが動く環境でのみ分かります。",
    person: "担当者",
    decisions: "判断",
    timed: "時間の記録あり",
    quick: "2秒未満",
    not_known: "不明",
    dropped: "候補にならなかった下書き",
    dropped_none: "この期間に除外された下書きはありません。",
    bad: "読み取れなかった応答",
    bad_how: "どれも会話と一緒に、そのまま保存されています。",
    bad_none: "この期間の応答はすべて最後まで読み取れました。",
    bad_see: "応答",
    floors: "内蔵抽出器の確信度の下限",
    floors_how: "これを下回るものは提案しません。提案のほぼすべてが確認に値するように定めています。エージェントの下限がこれより高い場合は、そちらが適用されます。",
    list: "判断",
    list_count: |n| format!("判断{}件", grouped(n)),
    list_empty: "条件に合う判断はありません",
    list_empty_how: "取り消された判断は表示されません。期間を延ばすか、絞り込みを減らしてください。",
    verdict: "判断",
    any_verdict: "すべての判断",
    by: "判断者",
    by_people: "人",
    by_policies: "ポリシー",
    decided_by: |who| format!("判断：{who}"),
};

/// What works in the background.
pub const JOBS: Jobs = Jobs {
    title: "ジョブ",
    lead: "裏側の処理です。抽出と、決まった時刻に行うこと。",
    queued: |_| "件が待機中".into(),
    running: |_| "件を実行中".into(),
    given_up: |_| "件の抽出が失敗または中断".into(),
    put_off: |_| "件が明日の予算待ち".into(),
    lag: "最も古い待機の遅れ",
    no_lag: "遅れはありません。",
    by_agent: "エージェント別",
    by_agent_none: "待機中、実行中、失敗したジョブはありません。",
    depth: "待機",
    due: "実行待ち",
    oldest: "遅れ",
    in_hand: "実行中",
    budget: "予算待ち",
    not_allowed: "許可待ち",
    failed: "失敗・中断",
    failed_how: "会話は保存されています。原因を直してから再試行してください。",
    failed_none: "失敗はありません。",
    reason: "理由",
    count: "件数",
    retry: "再試行",
    retry_all: "すべて再試行",
    any_reason: "すべての理由",
    job: "ジョブ",
    attempt: "回数",
    ended: "終了",
    comes: "予定",
    asked: "依頼",
    next: "次の予定",
    next_none: "時刻を待っているものはありません。",
    running_none: "実行中のものはありません。",
    schedules: "定期処理",
    schedules_none: "まだワーカーが動いていません。`keepsake serve` が動かします。",
    schedule: "内容",
    last_run: "前回",
    next_run: "次回",
    never: "なし",
    task: |task| match task {
        "extract" => "抽出",
        "patterns" => "セッションをまたぐ傾向",
        "migrate" => "変更後のスキーマとの照合",
        _ => "ジョブ",
    },
    why: |code| match code {
        "rate_limited" => "モデルの提供元が要求を減らすよう求めています。",
        "timeout" => "モデルが時間内に応答しませんでした。",
        "unreachable" | "bad_address" => {
            "モデルの提供元に接続できません。アドレスを確認してください。"
        }
        "unavailable" | "provider_error" => "モデルの提供元でエラーが起きています。",
        "key_refused" => "モデルの提供元がキーを受け付けません。",
        "no_key" => "この提供元のキーが設定されていません: KEEPSAKE_EXTRACTOR_API_KEY。",
        "unknown_model" => "この名前のモデルは提供元にありません。",
        "too_long" => "会話がモデルの上限を超えています。",
        "refused" | "not_supported" => "モデルの提供元が要求を拒否しました。",
        "no_extractor" => "エージェントの設定にある抽出器がここにはありません。",
        "internal" => "Keepsakeの内部で問題が起きました。詳しくはログを見てください。",
        "not_allowed" => {
            "このエージェントでは抽出器が許可されていません。許可するか別のものを選ぶと再開します。"
        }
        "budget" => "このエージェントの今日の予算を使い切りました。",
        "gone" => "会話がもうありません。",
        "crashed" => "処理の途中でプロセスが繰り返し終了しました。",
        "truncated" => "応答が途中で切れました。完全な部分は保存されています。",
        "no_json" | "not_json" | "no_answer" | "empty" | "other_schema" | "cut_off"
        | "too_tangled" => "応答を読み取れませんでした。内容は確認用に保存されています。",
        _ => "抽出に失敗しました。",
    },
    does: |name| match name {
        ScheduleName::Expiry => "期限内に判断されなかったものを却下",
        ScheduleName::Patterns => "セッションをまたぐ傾向を探す",
        ScheduleName::Passed => "過ぎたことの廃止を提案",
        ScheduleName::Report => "役立たないものの廃止を提案",
        ScheduleName::Words => "待機中のものを語句で検索できるようにする",
        ScheduleName::Digests => "ダイジェストを送信",
        ScheduleName::Exports => "期限を過ぎたエクスポートのファイルを削除",
        ScheduleName::RetentionConversations => "古い会話を削除",
        ScheduleName::RetentionRejected => "却下された古い候補を削除",
        ScheduleName::RetentionServings => "古い提供の記録を削除",
        ScheduleName::RetentionExports => "古いエクスポートの記録を削除",
        ScheduleName::Checkpoints => "監査記録の状態に署名",
        ScheduleName::Verification => "監査記録を検証",
    },
    retried: |queued, refused| {
        let queued = format!("{}件の抽出を再び予約しました", grouped(queued));
        match refused {
            0 => queued,
            refused => format!(
                "{queued}。{}件は再試行できません：学習がオフか、会話がもうありません。",
                grouped(refused)
            ),
        }
    },
    more: |n| {
        format!(
            "まだ確認していないものが{}件あります。続けるにはもう一度押してください。",
            grouped(n)
        )
    },
};
