"""`planewalk completion`: shell code that asks planewalk itself what can come next.

The answer is a line for each word, with its description behind a tab. A line `:files` says that
the shell should offer files as well, which it knows best how to do.
"""

from __future__ import annotations

import argparse
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator

from ...engines.choose import NAMES
from ...languages import registry
from .parser import HELP, PAGES, Parser

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
    parser.epilog = EPILOG
    parser.add_argument("shell", choices=SHELLS, help="the shell to complete in")
    parser.add_argument("words", nargs="*", help=argparse.SUPPRESS)


def perform(arguments: Namespace) -> int:
    if not arguments.words:
        print({"bash": BASH, "zsh": ZSH, "fish": FISH}[arguments.shell])
        return 0
    words = arguments.words
    split = ""
    if arguments.shell == "bash":
        words, split = joined(words)
    for word, description in following(words):
        begun = word.endswith("=") and word == words[-1]
        if word == FILES:
            print(word)
        elif word.startswith(words[-1]) and not begun:
            print(f"{word.removeprefix(split)}\t{description}")
    return 0


def joined(words: list[str]) -> tuple[list[str], str]:
    """The words of a line that bash has broken at `=`, and what it left out of the last."""
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


Answer = Iterator[tuple[str, str]]
"""Words that can come next, and what they mean."""


def following(words: list[str]) -> Answer:
    """What can be the last of the words, which is begun, or still empty."""
    from .main import COMMANDS, build_parser, subparsers

    *before, word = words
    if not before:
        yield from COMMANDS.items()
        yield HELP, "how a command is used"
        yield "--help", "show this help message and exit"
        yield "--version", "show the version"
        if word and not any(command.startswith(word) for command in COMMANDS):
            yield from programs(before)
        return
    if before[0] == HELP:
        yield from COMMANDS.items()
        yield from ((page, "a page of the manual") for page in PAGES)
        return
    if before[0] not in COMMANDS:
        before.insert(0, "run")
    parser = subparsers(build_parser(before[0]))[before[0]]
    option, equals, _ = word.partition("=")
    if equals and option in parser._option_string_actions:
        action = parser._option_string_actions[option]
        yield from ((f"{option}={value}", text) for value, text in values(action, before[1:]))
    elif (open_option := waiting(parser, before[1:])) is not None:
        yield from values(open_option, before[1:])
    elif word.startswith("-"):
        yield from options(parser)
    else:
        yield from positional(parser, before[1:])


def waiting(parser: Parser, before: list[str]) -> argparse.Action | None:
    """The option whose value comes next."""
    action = parser._option_string_actions.get(before[-1]) if before else None
    return action if action is not None and action.nargs != 0 else None


def options(parser: Parser) -> Answer:
    for action in parser._actions:
        for name in action.option_strings:
            yield name, described(action)


def described(action: argparse.Action) -> str:
    text = action.help if action.help and action.help != argparse.SUPPRESS else ""
    return " ".join(text.replace("%%", "%").split())


def positional(parser: Parser, before: list[str]) -> Answer:
    """What can stand where no option asks for a value."""
    given = plain_words(parser, before)
    for action in parser._actions:
        if action.option_strings or action.help == argparse.SUPPRESS:
            continue
        if not given or action.nargs in ("*", "+"):
            yield from values(action, before)
            return
        given.pop(0)


def plain_words(parser: Parser, before: list[str]) -> list[str]:
    """The words that are neither options nor their values."""
    plain = []
    asked = False
    for word in before:
        if asked:
            asked = False
        elif word.startswith("-") and word != "-":
            action = parser._option_string_actions.get(word)
            asked = action is not None and action.nargs != 0
        else:
            plain.append(word)
    return plain


def values(action: argparse.Action, before: list[str]) -> Answer:
    """What can be given for an argument."""
    if action.choices is not None:
        return ((str(choice), "") for choice in action.choices)
    if isinstance(action.metavar, str) and "|" in action.metavar:
        return ((value, "") for value in action.metavar.split("|"))
    metavar = str(action.metavar)
    if metavar == "NAME" and action.dest == "names":
        return names_of_examples(before)
    if metavar.startswith("FILE") and not action.option_strings:
        return programs(before)
    kind = KINDS.get(metavar)
    return iter(()) if kind is None else kind(before)


# What the arguments of that name take -----------------------------------------------------------


def files(before: list[str]) -> Answer:
    yield FILES, ""


def programs(before: list[str]) -> Answer:
    yield from examples(before)
    yield FILES, ""


def examples(before: list[str]) -> Answer:
    from ...examples import gallery

    return ((example.file, example.title) for example in gallery())


def languages(before: list[str]) -> Answer:
    return ((language.name, language.summary) for language in registry.working())


def names_of_examples(before: list[str]) -> Answer:
    """For `planewalk examples`, whose names depend on what is to be done with them."""
    if before[:1] == ["list"]:
        return languages(before)
    return programs(before) if before[:1] == ["copy"] else examples(before)


def engines(before: list[str]) -> Answer:
    return ((name, "") for name in NAMES)


def settings(before: list[str]) -> Answer:
    """KEY=, of the language of the program if it can be told."""
    for language in registry.working():
        if any(registry.suffix_of(word) in language.suffixes for word in before) or not any(
            map(registry.suffix_of, before)
        ):
            for option in language.options:
                yield f"{option.name}=", option.help
                for value in option.values:
                    yield f"{option.name}={value}", option.help


def suffixes(before: list[str]) -> Answer:
    """The kinds of file that can be converted."""
    for conversion in registry.conversions():
        for suffix in (*conversion.sources, *conversion.targets):
            yield suffix.lstrip("."), conversion.name


KINDS: dict[str, Callable[[list[str]], Answer]] = {
    "E": engines,
    "E,E": engines,
    "F": files,
    "FILE": files,
    "FOLDER": files,
    "KEY=VALUE": settings,
    "L": languages,
    "LANGUAGE": languages,
    "OUT": files,
    "SUFFIX": suffixes,
}
"""What the values of arguments are, by the word for them in the help."""
