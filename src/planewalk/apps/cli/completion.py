"""`planewalk completion`: shell code that asks planewalk for completions.

The answer is a line for each word, with its description behind a tab. A line `:files` says that
the shell should offer files as well, which it knows best how to do.
"""

from __future__ import annotations

from argparse import SUPPRESS, Action, ArgumentParser, Namespace
from collections.abc import Iterable, Iterator

from ...engines.choose import NAMES
from ...languages import registry
from .main import COMMANDS, build_parser
from .parser import HELP, PAGES

FILES = ":files"
SHELLS = ("bash", "zsh", "fish")

EPILOG = """\
to switch it on:
  bash   eval "$(planewalk completion bash)"        in ~/.bashrc
  zsh    eval "$(planewalk completion zsh)"         in ~/.zshrc
  fish   planewalk completion fish | source         in ~/.config/fish/config.fish"""

BASH = r"""_planewalk() {
    local word=${COMP_WORDS[COMP_CWORD]} plain line
    COMPREPLY=()
    while IFS= read -r line; do
        if [ "$line" = :files ]; then
            plain=${word//\\/}
            compopt -o filenames 2>/dev/null
            while IFS= read -r line; do
                COMPREPLY+=("$line")
            done < <(compgen -f -- "${plain#[\"\']}")
        else
            line=${line%%$'\t'*}
            COMPREPLY+=("$line")
            case $line in *=) compopt -o nospace 2>/dev/null ;; esac
        fi
    done < <("${COMP_WORDS[0]}" completion bash -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _planewalk planewalk"""

ZSH = r"""_planewalk() {
    local -a answer names described begun
    local line name files
    answer=("${(@f)$("${words[1]}" completion zsh -- "${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
    for line in "${answer[@]}"; do
        if [[ $line == :files ]]; then
            files=1
        elif [[ -n $line ]]; then
            name=${line%%$'\t'*}
            if [[ $name == *= ]]; then
                begun+=("$name")
            else
                names+=("$name")
                described+=("$name  ${line#*$'\t'}")
            fi
        fi
    done
    compadd -S '' -a begun
    compadd -l -d described -a names
    (( files )) && _files
    return 0
}
if (( ! $+functions[compdef] )); then
    autoload -Uz compinit && compinit -i
fi
compdef _planewalk planewalk"""

FISH = r"""function __planewalk_complete
    set -l words (commandline -opc)
    set -l word (commandline -ct)
    for line in ($words[1] completion fish -- $words[2..] $word 2>/dev/null)
        if test "$line" = :files
            __fish_complete_path $word
        else
            echo $line
        end
    end
end
complete -c planewalk -e
complete -c planewalk -f -a '(__planewalk_complete)'"""


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("shell", choices=SHELLS, help="the shell to complete in")
    parser.add_argument("words", nargs="*", help=SUPPRESS)


def perform(arguments: Namespace) -> int:
    if not arguments.words:
        print({"bash": BASH, "zsh": ZSH, "fish": FISH}[arguments.shell])
        return 0
    words, split = joined(arguments.words) if arguments.shell == "bash" else (arguments.words, "")
    for word, description in following(words):
        begun = word.endswith("=") and word == words[-1]
        if word == FILES:
            print(word)
        elif word.startswith(words[-1]) and not begun:
            print(f"{word.removeprefix(split)}\t{description}")
    return 0


def joined(words: list[str]) -> tuple[list[str], str]:
    """The words of a command line, rejoined where bash splits at `=`, and the prefix that bash
    drops from the last."""
    whole: list[str] = []
    split = ""
    for word in words:
        if whole and (word == "=" or whole[-1].endswith("=")):
            split = whole.pop() + ("=" if word == "=" else "")
            word = split + word.removeprefix("=")
        else:
            split = ""
        whole.append(word)
    return whole, split


Answer = Iterable[tuple[str, str]]
"""Candidates with their descriptions."""


def following(words: list[str]) -> Answer:
    """Candidates for the last word, which may be empty or partly typed."""
    *before, word = words
    if not before:
        yield from COMMANDS.items()
        yield HELP, "how a command is used"
        yield "--help", "show this help message and exit"
        yield "--version", "show the version"
        if word and not any(command.startswith(word) for command in COMMANDS):
            yield from programs()
        return
    if before[0] == HELP:
        yield from COMMANDS.items()
        yield from ((page, "a page of the manual") for page in PAGES)
        return
    command = before.pop(0) if before[0] in COMMANDS else "run"
    parser = build_parser(command).commands[command]
    options = parser._option_string_actions
    plain, asking = 0, None
    for earlier in before:
        if asking is not None:
            asking = None
        elif earlier.startswith("-") and earlier != "-":
            asking = options.get(earlier)
            asking = None if asking is None or asking.nargs == 0 else asking
        else:
            plain += 1
    name, equals, _ = word.partition("=")
    if equals and name in options:
        yield from ((f"{name}={value}", text) for value, text in values(options[name], before))
    elif asking is not None:
        yield from values(asking, before)
    elif word.startswith("-"):
        yield from ((name, described(action)) for name, action in options.items())
    else:
        positional = [each for each in parser._get_positional_actions() if each.help != SUPPRESS]
        last = positional[-1:] if positional and positional[-1].nargs in ("*", "+") else []
        for action in (positional[plain:] or last)[:1]:
            yield from values(action, before)


def described(action: Action) -> str:
    text = action.help if action.help and action.help != SUPPRESS else ""
    return " ".join(text.replace("%%", "%").split())


def values(action: Action, before: list[str]) -> Answer:
    """Candidates for the value of an argument: its choices, or what its metavar stands for."""
    metavar = str(action.metavar)
    if action.choices is not None or "|" in metavar:
        return ((str(choice), "") for choice in action.choices or metavar.split("|"))
    if action.dest == "names":  # of `planewalk examples`, which are of what is done with them
        kind = {"list": "LANGUAGE", "copy": "FILE"}.get(before[0] if before else "", "EXAMPLE")
    else:
        kind = "F" if action.option_strings and metavar == "FILE" else metavar
    match kind:
        case "F" | "OUT" | "FOLDER":
            return ((FILES, ""),)
        case "FILE" | "FILE2":
            return programs()
        case "EXAMPLE":
            return examples()
        case "L" | "LANGUAGE":
            return ((language.name, language.summary) for language in registry.working())
        case "E" | "E,E":
            return ((name, "") for name in NAMES)
        case "KEY=VALUE":
            return settings(before)
        case "SUFFIX":
            return suffixes()
    return ()


def programs() -> Answer:
    yield from examples()
    yield FILES, ""


def examples() -> Answer:
    from ...examples import gallery

    return ((example.file, example.title) for example in gallery())


def settings(before: list[str]) -> Iterator[tuple[str, str]]:
    """Options as KEY=, of the program's language if its suffix is known."""
    known = {registry.suffix_of(word) for word in before} - {""}
    for language in registry.working():
        if not known or known & set(language.suffixes):
            for option in language.options:
                yield f"{option.name}=", option.help
                yield from ((f"{option.name}={value}", option.help) for value in option.values)


def suffixes() -> Answer:
    """The suffixes that `planewalk convert` reads or writes."""
    for conversion in registry.conversions():
        for suffix in (*conversion.sources, *conversion.targets):
            yield suffix.lstrip("."), conversion.name
