
__delegate_init_completion()
{
    local line=${COMP_LINE:0:COMP_POINT}
    COMPREPLY=()
    read -ra words <<<"$line"
    [[ $line == *[[:blank:]] ]] && words+=("")
    cword=$((${#words[@]} - 1))
    cur=${words[cword]}
    prev=
    ((cword == 0)) || prev=${words[cword - 1]}
}

declare -F _filedir >/dev/null || _filedir()
{
    local word=$cur kind name
    [[ $word == -*=* ]] && word=${word#*=}
    [[ $(type -t compopt) == builtin ]] && compopt -o filenames
    while IFS= read -r name; do COMPREPLY+=("$name"); done < <(
        compgen -d -- "$word"
        [[ $1 == -d ]] && exit
        [[ -n $1 ]] || compgen -f -- "$word"
        for kind in ${1//|/ }; do compgen -f -X "!*.$kind" -- "$word"; done
    )
}
