//! In English.

pub(super) fn beginning(kind: &str) -> Option<&'static str> {
    Some(match kind {
        "preference" => {
            "Should: a lasting wish on how to be helped, or a lasting like or dislike, in the user’s own words. Example: “Prefers short answers with code first.”\n\
             Should not: a wish for this one answer, a mood, or something the assistant suggested. Example: “Wants this e-mail shorter.”"
        }
        "fact" => {
            "Should: what is true about the user for months or longer, and helps later. Example: “Leads the data team of a hospital in Leeds.”\n\
             Should not: what is true about somebody else, general knowledge, guesses, or what changes next week. Example: “Is at the airport.”"
        }
        "context" => {
            "Should: a situation that will matter for some weeks, with its date where one was said. Example: “Moves house on 15 March 2027.”\n\
             Should not: the task of the moment, or something without an end, which is a fact. Example: “Is debugging a test.”"
        }
        "pain_point" => {
            "Should: trouble that keeps coming back and costs the user time or money, with how bad it is. Example: “Reports arrive two days late every month.”\n\
             Should not: a single mishap, or trouble that was solved while they spoke. Example: “The page did not load just now.”"
        }
        "decision" => {
            "Should: what was decided, why, and what it touches; the user said it or agreed to it. Example: “Moved the budget from Alpha to Beta, because Alpha’s cost per sale doubled.”\n\
             Should not: options still being weighed, or a decision that only the assistant made. Example: “Could raise the bid.”"
        }
        "campaign" => {
            "Should: a campaign that runs or ran, with strategy, budget and status as they were said. Example: “Alpha: target CPA of $18, $500 a day, running.”\n\
             Should not: ideas for a campaign, or figures of one day, which are metrics. Example: “Perhaps something for Easter.”"
        }
        "metric" => {
            "Should: one measured value with unit, period and source. Example: “CTR of Alpha was 2.6 % in week 49.”\n\
             Should not: goals, estimates, or a value without its period. Example: “CTR should reach 3 %.”"
        }
        "profile_field" => {
            "Should: the value that the user gave for exactly this field, as its description asks for it. Example: field “job status”: “employed”.\n\
             Should not: a value that was only concluded, or one of another person. Example: “employed”, because a colleague was mentioned."
        }
        "pattern" => {
            "Should: behaviour seen in at least two sessions; the words behind it are linked, read both. Example: “Asks for the figures by channel before deciding.”\n\
             Should not: a judgement about the person, or something seen once. Example: “Is impatient.”"
        }
        "session_summary" => {
            "Should: what the session was about and what came of it, in two or three sentences. Example: “Compared two bidding strategies and chose target CPA; the budget stays.”\n\
             Should not: small talk, word-for-word records, secrets, or what the user asked not to remember."
        }
        _ => return None,
    })
}
