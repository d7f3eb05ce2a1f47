//! English word lists.

use super::{Lexicon, Signal};

pub(super) const LEXICON: Lexicon = &[
    (Signal::Question, &[
        "^what", "^what's", "^why", "^how", "^when", "^where", "^who", "^which", "^is", "^are", "^do", "^does", "^did", "^can you",
        "^could you", "^can i", "^should", "^would", "^will", "^any", "^can we", "^could we", "^am i", "^may i", "^has", "^isn't",
        "i wonder", "wondering", "not sure how", "^whats", "^have you", "^is there", "^anyone",
    ]),
    (Signal::Request, &[
        "^write", "^fix", "^make", "^show", "^create", "^explain", "^add", "^give", "^help", "^list", "^tell", "^generate", "^summarise",
        "^summarize", "^translate", "^find", "^check", "^run", "^refactor", "^convert", "^update", "^rewrite", "^draft", "^compare",
        "^calculate", "^debug", "^implement", "^please write", "^please fix", "^please make", "^please add", "^please check", "^remove",
        "^delete", "^rename", "^move", "^open", "^build", "^test", "^deploy", "^merge", "^look", "^try", "^let's", "^lets", "^go ahead",
        "^i need you to", "^i want you to", "can you", "could you", "would you", "i need help", "help me", "^suggest", "^recommend",
        "^plan", "^schedule", "^send", "^set", "^change", "^replace", "^sort", "^print", "^read", "^search", "^i'd like you to",
        "^please help", "^please", "^put", "^continue", "^redo", "^undo", "^revert", "^review", "^design", "^book", "^remind", "^describe",
        "^i want to see", "^i need a", "^i need the", "^proofread", "^shorten", "^outline", "^brainstorm", "^turn",
    ]),
    (Signal::Standing, &[
        "always", "never", "from now on", "in the future", "in future", "going forward", "by default", "every time", "whenever",
        "usually", "generally", "in general", "normally", "as a rule", "all my", "each time", "typically", "every day", "every morning",
        "every week", "every time you", "at all times", "without exception", "all the time", "most of the time", "anything you",
        "every answer", "any time", "anytime", "when you answer", "when you reply", "all your", "every evening", "every night", "ever",
        "for all", "every single",
    ]),
    (Signal::TaskBound, &[
        "this", "that one", "this one", "the above", "instead$", "this time", "for now", "just this once", "here", "the second one",
        "the first one", "the second option", "the first option", "option a", "option b", "the former", "the latter", "the new approach",
        "these", "those", "the previous", "the last one", "the other one", "first draft", "the draft", "your answer", "your version",
        "the output", "that version", "that line", "the function", "the query", "the script", "the file", "the error", "the button",
        "the paragraph", "the title", "the code", "the build", "the test", "the bug", "that", "just now", "your suggestion", "your code",
        "the same", "the approach", "it's", "it",
    ]),
    (Signal::Hypothetical, &[
        "if i were", "if i was", "if i had", "what if", "suppose", "supposing", "imagine", "let's say", "hypothetically", "pretend",
        "i wish i were", "i wish i was", "as if i", "if we were", "if we had", "if i ever", "if i could", "in theory", "say i", "if only",
        "would have been", "if i became", "if i won", "if i lived", "if i worked", "were i", "role play", "roleplay",
    ]),
    (Signal::FirstPerson, &[
        "i", "i'm", "im", "i've", "ive", "i'd", "i'll", "my", "me", "we", "we're", "we've", "we'll", "our", "us", "mine", "myself",
    ]),
    (Signal::SecondPerson, &["you", "your", "you're", "you've", "yours", "u", "ur"]),
    (Signal::Taste, &[
        "prefer", "prefers", "preferred", "preference", "like", "likes", "love", "hate", "dislike", "enjoy", "can't stand", "cannot stand",
        "favourite", "favorite", "fan", "not a fan", "rather", "fond", "into", "adore", "loathe", "despise", "detest", "prefer not",
        "don't like", "dont like", "don't use", "works best for me", "annoys", "annoying", "annoy", "appreciate", "allergic to", "picky",
        "avoid", "no emojis", "pet peeve", "suits me", "drives me", "bothers", "care for", "over", "keen", "partial to", "huge fan", "hates",
        "better for me", "easier for me", "comfortable",
    ]),
    (Signal::Identity, &[
        "i am a", "i'm a", "i'm an", "i am an", "im a", "im an", "i'm the", "i am the", "my name", "i work", "i live", "based in", "i'm from",
        "i am from", "born", "my wife", "my husband", "my son", "my daughter", "my kids", "my dog", "my cat", "my job", "years old",
        "i speak", "degree", "studied", "studying", "my company", "i own", "i run", "i manage", "i lead", "i teach", "founder", "engineer",
        "manager", "student", "teacher", "nurse", "doctor", "developer", "designer", "analyst", "vegetarian", "vegan", "allergic",
        "years of experience", "i've been", "i have been", "married", "children", "my team", "our team", "our company", "our stack",
        "we use", "i use", "native", "fluent", "diabetic", "cto", "ceo", "retired", "freelance", "my background", "i'm in charge",
        "responsible for", "my role", "my title", "my birthday", "timezone", "time zone", "my partner", "my parents", "hometown", "i play",
        "i drive", "i majored", "certified", "i'm called", "call me", "my hobby", "hobbies", "i've worked", "i grew up", "as a", "as an",
    ]),
    (Signal::Situation, &[
        "next month", "next week", "next year", "next quarter", "tomorrow", "deadline", "due", "launch", "launching", "launches", "by friday",
        "by monday", "this month", "this quarter", "this year", "this week", "moving", "planning", "currently", "at the moment", "right now",
        "these days", "working on", "preparing", "training for", "looking for", "in the middle of", "starting", "start", "trip", "travelling",
        "traveling", "wedding", "exam", "interview", "release", "migrating", "migration", "budget", "on leave", "vacation", "holiday", "expecting",
        "soon", "until", "in two weeks", "in march", "in april", "in june", "going to", "about to", "in the process", "learning", "trying to",
        "recovering", "hiring", "job hunting", "renovating", "short on", "running out", "saving", "so far", "tonight", "weekend", "goal", "upcoming",
        "in may", "in july", "in august", "in september", "in october", "in november", "in december", "in january", "in february", "by the end of",
        "scheduled", "conference", "presentation", "audit", "pregnant", "switching", "rolling out", "semester", "thesis", "sprint",
    ]),
    (Signal::SmallTalk, &[
        "thanks", "thank you", "thx", "ok", "okay", "great", "cool", "nice", "hello", "hi", "hey", "good morning", "bye", "sure", "yes", "yep",
        "no problem", "got it", "perfect", "awesome", "lol", "haha", "makes sense", "sounds good", "good job", "well done", "sorry", "oops",
        "never mind", "nevermind", "good night", "exactly", "right$", "hmm", "wow", "works now", "i see", "i understand", "agreed",
    ]),
    (Signal::Hedge, &["maybe", "perhaps", "i think", "i guess", "probably", "might", "not sure", "kind of", "sort of", "possibly", "i suppose", "may be", "kinda", "i believe"]),
    (Signal::Emphasis, &["really", "very important", "must", "absolutely", "strictly", "critical", "crucial", "essential", "extremely", "strongly", "definitely", "above all", "under no circumstances", "urgent", "asap", "at all costs", "important"]),
    (Signal::Past, &["yesterday", "last night", "last week", "earlier", "tried", "ran", "went", "saw", "watched", "got", "had", "was", "were", "did", "bought", "just", "already", "earlier today", "last month", "ago"]),
    (Signal::Passing, &["terrified", "nervous", "stressed", "anxious", "annoyed", "worried", "scared", "exhausted", "sad", "thrilled", "tired", "hungry", "confused", "stuck", "bored", "lost", "sleepy", "frustrated", "happy", "excited", "in a hurry", "busy today", "headache", "late", "don't understand", "don't know", "don't get", "not sure", "curious", "afraid", "glad", "surprised", "i forgot", "wondering", "trying to understand"]),
    (Signal::Answering, &[
        "answers", "answer", "replies", "responses", "response", "explanations", "explanation", "concise", "short", "brief", "bullet points", "bullets", "emojis",
        "emoji", "formal", "informal", "casual", "step by step", "code examples", "examples", "tone", "format", "tables", "metric", "markdown",
        "jargon", "plain english", "detailed", "details", "summary first", "units", "reply", "respond", "small talk", "sources", "citations", "24-hour",
    ]),
    (Signal::Reported, &["said", "says", "told me", "according to", "he thinks", "she thinks", "they say", "apparently", "article", "quote", "wrote", "mentions", "claims", "the docs", "documentation", "people say", "they think", "heard"]),
    (Signal::Technical, &["error", "exception", "returns", "null", "undefined", "stack trace", "log", "failed", "crash", "exit code", "stderr", "traceback", "404", "500", "timeout", "compile", "syntax", "undefined variable", "warning", "segfault", "pipeline", "endpoint", "column", "array", "loop", "variable"]),
    (Signal::Stranger, &[
        "^he", "^she", "^he's", "^she's", "^they", "^they're", "^his", "^her", "^their", "^people", "^most people", "^most", "^everyone", "^users", "^our users", "^the customer", "^the client", "^the candidate", "^the user", "^the patient",
        "^the applicant", "^the hero", "^the main character", "^the protagonist", "^the narrator", "^the author", "^the persona", "^the customers", "^customers", "^kids", "^developers", "^someone", "^somebody", "^some people", "^the article", "^the book", "^a friend",
        "^a colleague", "^the ceo", "^you", "^the guest", "^the character", "^the villain", "^in the story", "^in the novel", "^in the movie", "^tom", "^jack", "^sarah", "^anna", "^maria", "^mr",
    ]),
];

const RELATIONS: &[&str] = &[
    "wife", "wife's", "husband", "husband's", "son", "son's", "daughter", "daughter's", "kid", "kids", "child", "children", "mother", "mom", "mum",
    "father", "dad", "brother", "sister", "parents", "partner", "girlfriend", "boyfriend", "fiancé", "fiancée", "fiance", "fiancee", "friend", "friends",
    "friend's", "boss", "boss's", "manager", "manager's", "colleague", "colleagues", "coworker", "coworkers", "roommate", "flatmate", "neighbour",
    "neighbor", "neighbours", "neighbors", "uncle", "aunt", "cousin", "grandmother", "grandma", "grandfather", "grandpa", "teacher", "professor",
    "client", "client's", "customer", "landlord", "mentor", "assistant", "intern", "doctor", "therapist", "teammate", "supervisor", "mom's", "mother's",
    "dad's", "father's", "sister's", "brother's", "niece", "nephew", "buddy", "ex", "advisor", "cofounder", "co-founder", "accountant", "lawyer", "twins", "toddler", "baby",
];
const PRONOUNS: &[&str] = &["he", "he's", "she", "she's", "his", "her", "they", "they're", "their", "someone", "somebody", "people", "everyone"];

/// The clause begins with "my wife", "my old friend Jack", "he", …. `subject` is framed by spaces.
pub(super) fn someone_else_is_the_subject(subject: &str) -> bool {
    let mut words = subject.split_whitespace().skip_while(|word| matches!(*word, "and" | "but" | "also" | "so" | "oh" | "btw" | "ps" | "fyi" | "well"));
    let Some(first) = words.next() else { return false };
    if PRONOUNS.contains(&first) {
        return true;
    }
    if !matches!(first, "my" | "our" | "a" | "both") {
        return false;
    }
    let rest: Vec<&str> = words.take(4).collect();
    let related = rest.iter().take(3).position(|word| RELATIONS.contains(word));
    // "My wife and I" and "my teacher training" speak of the user.
    related.is_some_and(|at| !(rest.get(at + 1) == Some(&"and") && rest.get(at + 2).is_some_and(|word| *word == "i")))
        && !rest.iter().take(related.unwrap_or(0)).any(|word| matches!(*word, "is" | "favourite" | "favorite" | "name" | "are" | "job"))
}
