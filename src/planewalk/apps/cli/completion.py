"""`planewalk completion`: shell code made from the parser itself, so it is never out of date."""

from __future__ import annotations

import argparse
from argparse import ArgumentParser, Namespace

from ...engines.choose import NAMES
from ...languages import registry

EPILOG = """\
to switch it on:
  bash   eval "$(planewalk completion bash)"        in ~/.bashrc
  zsh    eval "$(planewalk completion zsh)"         in ~/.zshrc
  fish   planewalk completion fish | source         in ~/.config/fish/config.fish"""


def add_arguments(parser: ArgumentParser) -> None:
    parser.epilog = EPILOG
    parser.add_argument("shell", choices=("bash", "zsh", "fish"), help="the shell to complete in")


def perform(arguments: Namespace) -> int:
    from .main import COMMANDS, build_parser

    commands = _subparsers(build_parser())
    values = {"--lang": registry.names(), "--engine": list(NAMES)}
    if arguments.shell == "fish":
        print(fish(commands, COMMANDS, values))
    else:
        print(bash(commands, values, zsh=arguments.shell == "zsh"))
    return 0


def _subparsers(parser: ArgumentParser) -> dict[str, ArgumentParser]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            return dict(action.choices)
    return {}


def _options(parser: ArgumentParser) -> list[argparse.Action]:
    return [action for action in parser._actions if action.option_strings]


def _words(parser: ArgumentParser) -> list[str]:
    """What can follow a command besides files: its options and its fixed words."""
    words = [name for action in _options(parser) for name in action.option_strings]
    for action in parser._actions:
        if not action.option_strings and action.choices:
            words += map(str, action.choices)
    return words


def bash(commands: dict[str, ArgumentParser], values: dict[str, list[str]], zsh: bool) -> str:
    cases = "\n".join(
        f"        {name}) words='{' '.join(_words(parser))}' ;;"
        for name, parser in commands.items()
    )
    after = "\n".join(
        f"        {option}) COMPREPLY=($(compgen -W '{' '.join(choices)}' -- \"$word\")); return ;;"
        for option, choices in values.items()
    )
    start = "autoload -U +X bashcompinit && bashcompinit\n" if zsh else ""
    return f"""{start}_planewalk() {{
    local word="${{COMP_WORDS[COMP_CWORD]}}" last="${{COMP_WORDS[COMP_CWORD-1]}}" words
    if [ "$COMP_CWORD" -eq 1 ]; then
        COMPREPLY=($(compgen -W '{" ".join(commands)} --help --version' -- "$word")); return
    fi
    case "$last" in
{after}
    esac
    case "${{COMP_WORDS[1]}}" in
{cases}
    esac
    COMPREPLY=($(compgen -W "$words" -- "$word") $(compgen -f -- "$word"))
}}
complete -o filenames -F _planewalk planewalk"""


def fish(
    commands: dict[str, ArgumentParser], summaries: dict[str, str], values: dict[str, list[str]]
) -> str:
    lines = ["complete -c planewalk -l version -d 'show the version'"]
    for name, parser in commands.items():
        summary = summaries[name].replace("'", "\\'")
        lines.append(f"complete -c planewalk -n __fish_use_subcommand -a {name} -d '{summary}'")
        for action in _options(parser):
            long = next((o[2:] for o in action.option_strings if o.startswith("--")), None)
            if long is None:
                continue
            help = (action.help or "").replace("'", "\\'").replace("%%", "%")
            choices = values.get(f"--{long}")
            argument = f" -xa '{' '.join(choices)}'" if choices else ""
            argument = argument or (" -r" if action.nargs != 0 else "")
            lines.append(
                f"complete -c planewalk -n '__fish_seen_subcommand_from {name}' "
                f"-l {long}{argument} -d '{help}'"
            )
        words = [w for w in _words(parser) if not w.startswith("-")]
        if words:
            lines.append(
                f"complete -c planewalk -n '__fish_seen_subcommand_from {name}' "
                f"-a '{' '.join(words)}'"
            )
    return "\n".join(lines)
