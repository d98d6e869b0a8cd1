"""Words go in, and every picture follows."""
from driver import Window, expect, main

DEMO = "Hola mi nombre es Alex"


def typing_changes_tokens_and_shapes(headscope, cli, display, home):
    window = Window(headscope, display, home)
    p = window.shows("the demo", phrase=DEMO)
    expect(p["tokens"] == 5 and p["shapes"]["weights"] == [1, 8, 5, 5], f"{p['tokens']} tokens, {p['shapes']}")
    window.click("phrase", at=(0.9, 0.5))
    window.key("ctrl+End")
    window.type(" y tu")
    p = window.shows("two more words", phrase=DEMO + " y tu")
    expect(p["tokens"] == 7, f"{p['tokens']} tokens")
    expect(p["shapes"]["weights"] == [1, 8, 7, 7] and p["shapes"]["concat"] == [1, 7, 512], f"{p['shapes']}")
    window.wait(lambda q: min(q["timing"]["keystrokes_ms"], default=0) > 0, "the times of keystrokes")
    window.key("ctrl+BackSpace", "BackSpace")
    window.shows("the last word gone", phrase=DEMO + " y")
    window.key("ctrl+a")
    window.type("uno dos tres")
    p = window.shows("another phrase", phrase="uno dos tres")
    expect(p["tokens"] == 3, f"{p['tokens']} tokens")
    window.quit()


def pasted_text_is_kept_byte_for_byte(headscope, cli, display, home):
    window = Window(headscope, display, home)
    window.click("phrase", at=(0.9, 0.5))
    window.key("ctrl+a")
    text = "¿Qué 猫 тоже שלום 😀 Á"
    window.paste(text)
    p = window.shows("the pasted text", phrase=text)
    expect(p["tokens"] == 6 and not p["problem"] and not p["failure"], f"{p['tokens']} {p['problem']} {p['failure']}")
    window.key("ctrl+a", "ctrl+c")
    expect(window.clipboard() == text, f"copied {window.clipboard()!r}")
    window.quit()


def an_emptied_phrase_keeps_the_last_picture(headscope, cli, display, home):
    window = Window(headscope, display, home)
    window.click("phrase", at=(0.9, 0.5))
    window.key("ctrl+a", "BackSpace")
    p = window.wait(lambda q: q["problem"] and not q["session"].get("phrase"), "a word about the empty phrase")
    expect(p["stale"] and p["tokens"] == 5, f"the last good picture is gone: {p['tokens']} tokens")
    window.type("otra vez")
    p = window.shows("the new phrase", phrase="otra vez")
    expect(p["tokens"] == 2 and p["problem"] == "", f"{p['tokens']} {p['problem']}")
    window.quit()


def undo_brings_every_change_back(headscope, cli, display, home):
    window = Window(headscope, display, home)
    window.click("phrase", at=(0.9, 0.5))
    window.key("ctrl+a")
    window.paste("a b c")
    window.shows("the pasted phrase", phrase="a b c")
    window.click("request/num_heads/-")
    window.shows("four heads", heads=4)
    window.key("ctrl+z")
    window.shows("the heads undone", heads=None, phrase="a b c")
    window.key("ctrl+z")
    p = window.shows("the phrase undone", heads=None, phrase=DEMO)
    expect(p["tokens"] == 5, f"{p['tokens']} tokens")
    window.key("ctrl+shift+z", "ctrl+shift+z")
    p = window.shows("both done again", heads=4, phrase="a b c")
    expect(p["shapes"]["weights"] == [1, 4, 3, 3], f"{p['shapes']}")
    window.quit()


if __name__ == "__main__":
    main([typing_changes_tokens_and_shapes, pasted_text_is_kept_byte_for_byte, an_emptied_phrase_keeps_the_last_picture,
          undo_brings_every_change_back])
