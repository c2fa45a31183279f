# fish completion of palp: verbs, options, values and scenes, read from the command's own help.

function __palp_verbs
    palp --help 2>/dev/null | sed -nE 's/^  palp ([a-z]+) .*  +(.*)/\1\t\2/p'
end

function __palp_scenes
    palp list 2>/dev/null | sed -nE 's/^([A-Za-z0-9_-]+) +(.*)/\1\t\2/p'
end

# Names behind the colon of an option's help.
function __palp_names
    palp $argv[1] --help 2>/dev/null | sed -nE "s/^  $argv[2] +NAME .*: ([a-z, -]+)\$/\1/p" | tr -d ',' | tr ' ' '\n'
end

complete -c palp -f -n __fish_use_subcommand -a '(__palp_verbs)'
for __palp_verb in (palp --help 2>/dev/null | sed -nE 's/^  palp ([a-z]+) .*/\1/p')
    set -l on "__fish_seen_subcommand_from $__palp_verb"
    palp $__palp_verb --help 2>/dev/null | sed -nE 's/^  --?([a-z][a-z-]*) ([A-Z[][^ ]*)? +(.*)/\1|\2|\3/p' | while read -d '|' -l name value help
        set -l kind -l
        test (string length $name) -eq 1; and set kind -s
        if test "$value" = FILE -o "$value" = DIR
            complete -c palp -n $on $kind $name -r -F -d $help
        else if test "$value" = NAME
            complete -c palp -n $on $kind $name -x -a "(__palp_names $__palp_verb --$name)" -d $help
        else if test -n "$value"
            complete -c palp -n $on $kind $name -x -d $help
        else
            complete -c palp -n $on $kind $name -d $help
        end
    end
    if palp $__palp_verb --help 2>/dev/null | head -1 | string match -q '*SCENE*'
        complete -c palp -n $on -k -a '(__palp_scenes)'
    end
end
