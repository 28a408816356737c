# What `cmake --install` puts in place: the program that runs from there, its manual page, the
# completions of bash and zsh, and the licences. BUILD: the folder of the build.
. "$(dirname "$0")/../check.sh"
build=${BUILD:-$(dirname "$(dirname "$HEMOTILE")")}
command -v cmake >/dev/null || { echo "needs cmake"; exit 77; }
[ -f "$build/manual/hemotile.1" ] || { echo "needs the target \"manual\" of the build"; exit 77; }
cmake --install "$build" --prefix "$work/there" >log 2>&1 || { fail "not installed"; cat log; }
documents=there/share/doc/hemotile
there there/bin/hemotile "$documents"/{README.md,CHANGELOG.md,LICENSE,LICENSE.niivue,copyright,docs/README.md}
grep -q 'Copyright (c) 2021, Niivue' "$documents/copyright" || fail "no licence of NiiVue"
unit=there/lib/systemd/system/hemotile-pacs-watch.service
grep -q "^ExecStart=$work/there/bin/hemotile pacs watch" $unit || fail "the service starts another program"
"$PYTHON" -c "import configparser; c = configparser.RawConfigParser(strict=False); c.optionxform = str; c.read('$unit')
assert c['Service']['StateDirectory'] == 'hemotile'" || fail "the service cannot be read"
sed 's|/var/lib/hemotile|state|; /calling:/d' $documents/pacs.yaml >pacs.yaml # the example: without its callers
expect 2 pacs watch --pacs pacs.yaml
says stderr "nobody may send"
found=$(find there/bin there/share/man there/share/doc/hemotile/cases -name '*test*' -o -name '*.sh' -o -name '*.[ch]' -o -name '*.a')
[ -z "$found" ] || fail "installed, too: $found"
there/bin/hemotile --version >stdout 2>&1 || fail "the installed program does not run"
grep -q '^hemotile 0\.' stdout || fail "no version"

expect 0 help man
gzip -dc there/share/man/man1/hemotile.1.gz | cmp - stdout || fail "the manual page is of another program"

# The manual page is without mistakes, and has every option of every command.
if command -v man >/dev/null; then
  page=there/share/man/man1/hemotile.1.gz
  LC_ALL=C.UTF-8 MANWIDTH=100 man -l --warnings "$page" >page 2>mistakes || fail "man cannot show $page"
  [ ! -s mistakes ] || fail "the manual page: $(cat mistakes)"
  for text in 'hemotile run CASE.yaml|SCAN|DIR' '--nodes-across N' viscosity_pa_s 'EXIT STATUS'; do
    grep -qF -- "$text" page || fail "no '$text' in the manual page"
  done
fi

# completes WANTED WORD...: bash offers WANTED, among others, for the last word.
. there/share/bash-completion/completions/hemotile
offer() {
  COMP_WORDS=("$@")
  COMP_CWORD=$(($# - 1))
  COMPREPLY=()
  _hemotile
}
completes() {
  local wanted=$1
  shift
  offer "$@"
  printf '%s\n' "${COMPREPLY[@]}" | grep -qxF -- "$wanted" ||
    fail "'$*' is completed by '${COMPREPLY[*]}', without '$wanted'"
}
mkdir 'a folder'
touch 'a file'
completes run hemotile r
completes validate hemotile help v
completes --nodes-across hemotile run --no
completes --heart-rate hemotile solve x --he
completes cuda hemotile run scan --device c
completes cuda hemotile run --device = c
completes levelset hemotile segment x --method ''
completes fp16 hemotile bench --precision ''
completes pacs hemotile p
completes watch hemotile pacs w
completes --patient-id hemotile pacs find --pa
completes --study hemotile pacs get --pacs x --st
completes 'a file' hemotile pacs send 'a '
completes pipe-oblique hemotile phantom pi
completes plane-cavity hemotile validate plane
completes 'a folder' hemotile run 'a '
completes 'a file' hemotile run 'a '
completes 'a folder' hemotile run x -o 'a '
offer hemotile run x -o 'a '
[ "${#COMPREPLY[@]}" = 1 ] || fail "a file is offered for -o: ${COMPREPLY[*]}"
offer hemotile run x --flow ''
[ "${#COMPREPLY[@]}" = 0 ] || fail "a number is completed by '${COMPREPLY[*]}'"
# What the program's help lists of a command is offered, and no more.
for name in run batch import segment tile solve export report phantom converge bench validate; do
  offer hemotile "$name" --
  expect 0 "$name" --help
  sed -n '/^options:/,/^example:/p' stdout | grep -oE '^ +(-., )?--[a-z-]+' | grep -oE -- '--[a-z-]+' |
    sort -u >listed
  printf '%s\n' "${COMPREPLY[@]}" | sort -u >offered
  diff listed offered >difference || fail "$name: $(cat difference)"
done

# zsh, at a terminal of its own (zpty).
if command -v zsh >/dev/null; then
  cat >ask.zsh <<'ZSH'
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "PS1=; fpath=($1 \$fpath); autoload -U compinit; compinit -u -D; bindkey '^I' complete-word"
zpty -w shell "stty cols 400 rows 200; setopt no_list_beep list_rows_first; LISTMAX=9999; echo read''y"
zpty -r -m shell line '*ready*'
zpty -w -n shell "$2"$'\t\t'
zpty -r -m shell line "*$3*" && print -r -- "$3"
zpty -d shell
ZSH
  for pair in 'hemotile |segment' 'hemotile run --no|--nodes-across' 'hemotile run x --device cu|cuda' \
    'hemotile validate plane-ca|plane-cavity' 'hemotile pacs wa|watch' 'hemotile pacs find --pat|--patient-id'; do
    timeout 900 zsh -f ask.zsh "$PWD/there/share/zsh/site-functions" "${pair%|*}" "${pair#*|}" >answer 2>&1
    grep -qxF -- "${pair#*|}" answer || fail "zsh: '${pair%|*}' is not completed: $(cat -v answer)"
  done
fi
done_testing
