//! English: the second factor.

use super::super::*;

/// The second factor.
pub const SECOND_FACTOR: SecondFactor = SecondFactor {
    title: "Second factor",
    lead: "A code of an app on your phone, asked for after the password.",
    has: "second factor",
    off: "Your password alone signs you in.",
    on_since: "On since",
    set_up: "Set up a second factor",
    set_up_how: "You need an app that makes codes: Aegis, Google Authenticator, 1Password and others do.",
    change: "Recovery codes, or switch it off",
    scan: "Give this to your app",
    scan_how: "Scan the picture, or type the secret. It is shown until you have given the first code, for half an hour at most, and never again.",
    qr: "QR code for the app",
    secret: "Secret:",
    open_app: "Open the app on this device",
    first_code: "Code that the app shows",
    first_code_how: "Six digits, new every 30 seconds.",
    enable: "Switch it on",
    enable_how: "You stay signed in here and are signed out everywhere else. Recovery codes follow on the next page.",
    begin_anew: "Make another secret",
    codes: "Recovery codes",
    codes_left: |n| match n {
        0 => "None is left. Make new ones before you lose your app.".to_owned(),
        n => format!("{} left", many(n)),
    },
    renew: "Make new recovery codes",
    renew_how: "Ten, shown once. Those from before stop working.",
    new_codes: "Your recovery codes",
    new_codes_how: "Copy them now and keep them apart from your phone: they are shown only this once. Each signs you in once in the place of a code of the app.",
    disable: "Switch it off",
    disable_how: "Your password alone signs you in again. The recovery codes stop working.",
    reset: "Reset the second factor",
    reset_how: "For somebody who has lost app and recovery codes. They are signed out, and their password alone signs them in until they set it up again. Make sure that it is they who ask.",
    was_reset: |name| format!("{name} has no second factor any more, and is signed out"),
    flash_on: "The second factor is on. You are signed out everywhere else.",
    flash_off: "The second factor is off",
    code: "Code",
    code_how: "Six digits of your app, or one of your recovery codes.",
    ask: "Give your code",
    ask_lead: "Your account has a second factor.",
    again: "Begin again with the password",
    lost: "App and recovery codes lost? An administrator can reset your second factor.",
    wrong: "This code is not right, or was used before. After several tries you have to wait.",
    wrong_either: "Password and code do not fit, or the code was used before. After several tries you have to wait.",
    over: "That sign-in is over. Begin again with the password.",
};

fn many(codes: u64) -> String {
    match codes {
        1 => "1 code is".to_owned(),
        n => format!("{n} codes are"),
    }
}
