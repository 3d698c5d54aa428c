#compdef vibe-engine ve
# Completion for zsh. Load it after compinit with: eval "$(vibe-engine completion zsh)"
# Or save it as _vibe-engine in a directory of $fpath.
_vibe-engine() {
  local -a found
  found=("${(@f)$("${words[1]}" --complete zsh "${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "${found[1]}" ]]; then
    _describe -V 'vibe-engine' found
  else
    _files
  fi
}
if [[ "${funcstack[1]}" == "_vibe-engine" ]]; then
  _vibe-engine "$@"
else
  compdef _vibe-engine vibe-engine ve
fi
