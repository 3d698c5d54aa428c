# Completion for fish. Load it with: vibe-engine completion fish | source
function __vibe_engine_complete
    set -l words (commandline -opc)
    set -l program $words[1]
    set -e words[1]
    set -l current (commandline -ct)
    set -l found ($program --complete fish $words "$current" 2>/dev/null)
    if test (count $found) -gt 0
        printf '%s\n' $found
    else
        __fish_complete_path "$current"
    end
end
complete -c vibe-engine -f -k -a '(__vibe_engine_complete)'
complete -c ve -f -k -a '(__vibe_engine_complete)'
