# SPDX-License-Identifier: Apache-2.0
# bash completion for weir: commands, options, the words that options take, files.
# Load it with: source tools/completion/weir.bash

_weir() {
  local current=${COMP_WORDS[COMP_CWORD]} previous='' command='' words=''
  COMPREPLY=()
  if ((COMP_CWORD > 0)); then
    previous=${COMP_WORDS[COMP_CWORD - 1]}
  fi
  if ((COMP_CWORD > 1)); then
    command=${COMP_WORDS[1]}
  fi
  # --dialect=cesql comes as three words.
  if [[ $current == '=' ]]; then
    current=''
  elif [[ $previous == '=' ]]; then
    previous=${COMP_WORDS[COMP_CWORD - 2]}
  fi

  case $previous in
    --dialect) words='weir cesql json' ;;
    --clock) words='event wall' ;;
    --initial) words='deliver none' ;;
    --language)
      words='none arabic armenian basque catalan danish dutch english finnish french german greek
        hindi hungarian indonesian irish italian lithuanian nepali norwegian porter portuguese
        romanian russian serbian spanish swedish tamil turkish yiddish'
      ;;
    --event | --history | --input | --filters)
      compopt -o filenames 2>/dev/null
      mapfile -t COMPREPLY < <(compgen -f -- "$current")
      return
      ;;
    --filter | --dedup | --line-bytes-max) return ;;
  esac
  if [[ -n $words ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
    return
  fi

  case $command in
    '') words='check explain filter eval help --help --version' ;;
    check) words='--dialect --language --json --help' ;;
    explain) words='--filter --event --history --dialect --initial --language --json --help' ;;
    filter)
      words='--filters --dialect --input --json --stats --keep-going --dedup --initial --clock
        --language --line-bytes-max --help'
      ;;
    eval) words='--dialect --event --json --help' ;;
    help) words='check explain filter eval' ;;
  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
}

complete -F _weir weir
