# bash completion of palp: verbs, options, values and scenes, read from the command's own help.

# The second word of lines "  palp VERB ...".
__palp_verbs() { palp --help 2>/dev/null | sed -nE 's/^  palp ([a-z]+) .*/\1/p'; }

# Lines "  --option VALUE  help" of a verb.
__palp_options() { palp "$1" --help 2>/dev/null | sed -nE 's/^  (--?[a-z][a-z-]*) .*/\1/p'; }

# "VALUE: a, b, c" of an option, or "VALUE" alone. Names are those behind a colon of its help.
__palp_value() { # verb, option
    palp "$1" --help 2>/dev/null | sed -nE "s/^  $2 +([A-Z[][^ ]*) +(.*)/\\1 \\2/p" |
        sed -E 's/^NAME .*: ([a-z, -]+)$/NAME \1/; t; s/ .*//' | tr -d ','
}

__palp_scenes() { palp list 2>/dev/null | sed -nE 's/^([A-Za-z0-9_-]+) .*/\1/p'; }

_palp() {
    local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} verb=${COMP_WORDS[1]} value
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        mapfile -t COMPREPLY < <(compgen -W "$(__palp_verbs) --help --version" -- "$current")
        return
    fi
    if [[ $before == -* ]]; then
        value=$(__palp_value "$verb" "$before")
        case $value in
        NAME\ *) mapfile -t COMPREPLY < <(compgen -W "${value#NAME }" -- "$current") && return ;;
        FILE | DIR) mapfile -t COMPREPLY < <(compgen -f -- "$current") && return ;;
        SCENE) mapfile -t COMPREPLY < <(compgen -W "$(__palp_scenes)" -- "$current") && return ;;
        ?*) return ;;
        esac
    fi
    if [[ $current == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$(__palp_options "$verb") --help" -- "$current")
        return
    fi
    case $(palp "$verb" --help 2>/dev/null | head -1) in
    *SCENE*) mapfile -t COMPREPLY < <(compgen -W "$(__palp_scenes)" -- "$current" && compgen -f -- "$current") ;;
    *ID*) mapfile -t COMPREPLY < <(compgen -W "all list $(palp figure list 2>/dev/null | sed -nE 's/^([a-z]+-[a-z0-9]+) .*/\1/p')" -- "$current") ;;
    *) mapfile -t COMPREPLY < <(compgen -f -- "$current") ;;
    esac
}

complete -o filenames -o nosort -F _palp palp 2>/dev/null || complete -o filenames -F _palp palp
