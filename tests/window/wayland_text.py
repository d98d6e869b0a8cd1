"""Journeys on Wayland about text: the clipboard, signs and keys. wayland.py runs them."""
from driver import expect
from sway import on_sway
from sway_window import Window
from wayland_keyboard import FIRST_KEYS, KEYS

SMILE = "😀"


def select_phrase(window):
    window.click("phrase", at=(0.9, 0.5))
    window.key("ctrl+a")


@on_sway
def text_goes_in_and_out(headscope, cli, display, home):
    window = Window(headscope, display, home)
    text = f"¿Qué 猫 тоже שלום {SMILE} Á"
    select_phrase(window)
    window.paste(text)
    p = window.shows("the pasted text", phrase=text)
    expect(p["tokens"] == 6 and not p["problem"] and not p["failure"], f"{p['tokens']} {p['problem']} {p['failure']}")
    window.key("ctrl+a", "ctrl+c")
    expect(window.clipboard() == text, f"copied {window.clipboard()!r}")
    # Its own copy comes back to it, and a long text of another program comes whole.
    window.key("End", "ctrl+v")
    window.shows("its own text twice", phrase=text + text)
    long = " ".join("w" * 3000 for _ in range(50))
    select_phrase(window)
    window.paste(long)
    window.shows("a long text", phrase=long)
    window.quit()


@on_sway
def emoji_are_typed(headscope, cli, display, home):
    window = Window(headscope, display, home)
    select_phrase(window)
    window.type(f"one {SMILE} é 猫")
    p = window.shows("what was typed", phrase=f"one {SMILE} é 猫")
    expect(p["tokens"] == 4, f"{p['tokens']} tokens")
    window.picture("emoji")
    window.key("Home", "Delete")
    window.shows("a sign gone", phrase=f"ne {SMILE} é 猫")
    window.key("End", "BackSpace", "BackSpace", "BackSpace", "BackSpace", "BackSpace")
    window.shows("the emoji gone at once", phrase="ne ")
    # wtype writes its first sign with the key of Escape, the fourteenth with that of BackSpace.
    text = f"{SMILE} the quick brown fox jumps over the lazy dog"
    select_phrase(window)
    display.spell(text, FIRST_KEYS)
    window.shows("signs on any key", phrase=text)
    window.quit()


@on_sway
def keys_are_what_is_printed_on_them(headscope, cli, display, home):
    window = Window(headscope, display, home)
    # German: z and y have changed places; a sign by AltGr; an accent by a dead key.
    display.lay_out("de")
    select_phrase(window)
    window.key("y", "z", "shift+y", "space", ";", "'", "[", "-", "space", "altgr+q", "=", "e")
    window.shows("German", phrase="zyZ öäüß @é")
    window.key("ctrl+a", "ctrl+x")
    window.key("ctrl+v")
    expect(window.clipboard() == "zyZ öäüß @é", f"cut {window.clipboard()!r}")
    window.click("request/num_heads/-")
    window.shows("four heads", heads=4)
    window.key("ctrl+y")
    window.shows("undone by the key that prints z", heads=None)
    window.key("ctrl+z")
    window.shows("done again by the key that prints y", heads=4)

    # French: letters elsewhere, and signs where digits are; Alt and the place of 2 is still head 2.
    display.lay_out("fr")
    window.click("phrase", at=(0.9, 0.5))
    window.key("ctrl+q")  # prints a; Ctrl+Q would end the program
    window.key("q", "w", ";", "2", "shift+2", "[", "e")
    window.shows("French", phrase="azmé2ê")
    window.key("alt+2")
    window.wait(lambda p: p["session"]["view"].get("head") == 2, "head 2")
    window.click("request/num_heads/+")
    window.shows("eight heads", heads=8)
    window.key("ctrl+w")
    window.shows("undone by the key that prints z", heads=4)

    # Russian prints none of our letters: shortcuts go by place.
    display.lay_out("ru")
    select_phrase(window)
    window.key("g", "h", "b")
    window.shows("Russian", phrase="при")
    window.key("ctrl+a", "ctrl+c")
    expect(window.clipboard() == "при", f"copied {window.clipboard()!r}")
    window.quit()


@on_sway
def a_held_key_repeats(headscope, cli, display, home):
    window = Window(headscope, display, home)
    select_phrase(window)
    display.keyboard.send(KEYS["n"], True)
    display.wire.sync()
    window.wait(lambda p: p["session"]["phrase"].startswith("nnnnn"), "the sign again and again")
    display.keyboard.send(KEYS["n"], False)
    display.wire.sync()
    written = window.settle()["session"]["phrase"]
    expect(set(written) == {"n"}, written)
    window.type(".")
    window.shows("no more after the key was let go", phrase=written + ".")
    window.quit()
