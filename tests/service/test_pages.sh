#!/bin/bash
# Man page and completion hold every verb, word and option the help shows; install puts them,
# the examples and nothing else than uninstall removes.
set -u
top=$PWD
cd "$TEST_DIR" || exit 1
n=0
say() { # say CODE NAME
    n=$((n + 1))
    [ "$1" -eq 0 ] && echo "ok $n - $2" || echo "not ok $n - $2"
}
"$TRAPEZE" manual man > trapeze.1 && "$TRAPEZE" manual bash > completion
say $? "both are printed"
sed 's/\\-/-/g' trapeze.1 > plain
# shellcheck disable=SC1091
. ./completion
say $? "the completion loads"

complete_words() { # complete_words WORD...: the last is the one that is begun; prints what is offered
    COMP_WORDS=(trapeze "$@") COMP_CWORD=$#
    _trapeze
    printf '%s\n' "${COMPREPLY[@]}"
}
verbs=$("$TRAPEZE" --help | awk '/^  [a-z]/ { print $1 }')
[ "$(echo "$verbs" | wc -w)" -ge 14 ]
say $? "the help lists verbs"
missing=
for verb in $verbs; do
    grep -q "^\.SS trapeze $verb\b" plain || missing="$missing man:$verb"
    complete_words "" | grep -qx -- "$verb" || missing="$missing bash:$verb"
    awk -v verb="$verb" '/^\.S[SH]/ { on = $3 == verb } on' plain > section
    "$TRAPEZE" "$verb" --help > help
    for option in $(awk '/^  -/ { print $1 }' help); do
        echo "$option" >> options
        grep -q "^.fB$option.fR" section || missing="$missing man:$verb:$option"
        complete_words "$verb" - | grep -qx -- "$option" || missing="$missing bash:$verb:$option"
    done
    awk '/^  [a-z]/ { print $1, $2 }' help | while read -r first second; do
        echo "$first" >> words
        complete_words "$verb" "" | grep -qx -- "$first" || echo "bash:$verb:$first"
        case $first in cert | user)
            complete_words "$verb" "$first" "" | grep -qx -- "$second" || echo "bash:$verb:$first $second"
            grep -q "^.fB$first $second.fR" section || echo "man:$verb:$first $second" ;;
        *) grep -q "^.fB$first.fR" section || echo "man:$verb:$first" ;;
        esac
    done > bad
    missing="$missing$(tr '\n' ' ' < bad)"
done
[ "$(wc -l < options)" -ge 60 ] && [ "$(wc -l < words)" -ge 15 ] && [ -z "${missing// /}" ]
say $? "every verb, word and option of the help stands in both (missing:$missing)"
[ "$(complete_words do)" = doctor ] && [ "$(complete_words opcua cert tr)" = trust ] &&
    [ "$(complete_words sim --solver d)" = dense ] && [ "$(complete_words sim --until 1 --rep)" = --report ]
say $? "what is begun is completed"
! complete_words "" | grep -qx format && ! grep -q 'trapeze format' plain
say $? "what the help hides is hidden"
if command -v man > /dev/null && command -v groff > /dev/null; then
    [ -z "$(LC_ALL=C MANROFFSEQ='' man --warnings -E UTF-8 -l -Tutf8 -Z trapeze.1 2>&1 > /dev/null)" ]
    say $? "man has nothing to warn of"
fi
"$TRAPEZE" manual other > /dev/null 2> other
[ $? -eq 2 ] && grep -q "neither man nor bash" other
say $? "another word is wrong use"

stage=$PWD/stage
(cd "$top" && tools/install install /opt/t "$stage" "" "$TRAPEZE" "$TRAPEZE") > /dev/null
cmp -s trapeze.1 "$stage/opt/t/share/man/man1/trapeze.1" &&
    cmp -s completion "$stage/opt/t/share/bash-completion/completions/trapeze"
say $? "install puts both in their places"
for example in client.c client.mjs fastlane.c; do
    cmp -s "$top/tools/example_$example" "$stage/opt/t/share/trapeze/examples/example_$example"
    say $? "install puts the example $example"
done
(cd "$top" && tools/install uninstall /opt/t "$stage") > /dev/null
[ -z "$(find "$stage" -type f)" ]
say $? "uninstall leaves no file ($(find "$stage" -type f | head -n 3 | tr '\n' ' '))"
