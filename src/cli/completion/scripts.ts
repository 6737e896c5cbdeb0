import type { Shell } from './shells.ts';

/**
 * What each shell sources. All of it asks `babelq __complete` with the words up to the cursor; what comes back is only
 * ever compared and offered, never expanded or evaluated.
 */
export const SCRIPTS: Readonly<Record<Shell, string>> = {
  bash: `# Completion of babelq for bash: source <(babelq completion bash)
_babelq() {
  local typed=\${COMP_LINE:0:COMP_POINT} current line value breaks= char prefix=
  local -a words
  read -ra words <<< "$typed"
  [[ $typed == *[[:space:]] ]] && words+=('')
  while ((\${#words[@]} > 1)) && [[ \${words[0]} != "$1" ]]; do words=("\${words[@]:1}"); done
  current=\${words[\${#words[@]} - 1]}
  # What readline takes for the beginning of a word is not to be repeated.
  for char in : = @; do [[ $COMP_WORDBREAKS == *"$char"* ]] && breaks+=$char; done
  [[ -n $breaks ]] && prefix=\${current%"\${current##*[$breaks]}"}
  COMPREPLY=()
  while IFS= read -r line; do
    value=\${line%%$'\\t'*}
    if [[ -z $value ]]; then
      type compopt > /dev/null 2>&1 && compopt -o default
      return
    fi
    COMPREPLY+=("\${value#"$prefix"}")
  done < <(babelq __complete "\${words[@]:1}" 2> /dev/null)
}
complete -F _babelq babelq
`,
  zsh: `#compdef babelq
# Completion of babelq for zsh: source <(babelq completion zsh), or save it as _babelq in a folder of $fpath.
_babelq() {
  local line
  local -a lines described
  lines=("\${(@f)$(babelq __complete "\${(@Q)words[2,CURRENT-1]}" "$PREFIX" 2> /dev/null)}")
  if [[ $lines[1] == $'\\t'files ]]; then
    _files
    return
  fi
  for line in $lines; do
    described+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
  done
  _describe babelq described
}
if [[ $funcstack[1] == _babelq ]]; then
  _babelq "$@"
else
  compdef _babelq babelq
fi
`,
  fish: `# Completion of babelq for fish: babelq completion fish | source
function __babelq_complete
    set -l words (commandline -opc)
    set -e words[1]
    set -l current (commandline -ct)
    set -l lines (babelq __complete $words "$current" 2> /dev/null)
    if test "$lines[1]" = \\t'files'
        __fish_complete_path "$current"
    else if set -q lines[1]
        printf '%s\\n' $lines
    end
end
complete -c babelq -f -a '(__babelq_complete)'
`,
};
