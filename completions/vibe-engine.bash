# Completion for bash. Load it with: eval "$(vibe-engine completion bash)"
_vibe_engine() {
  local IFS=$'\n'
  COMPREPLY=($("${COMP_WORDS[0]}" --complete bash "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _vibe_engine vibe-engine ve
