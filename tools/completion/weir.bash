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
    --anonymous) words='off loopback everyone' ;;
    --log-level) words='debug info warning error' ;;
    --log-format) words='text json' ;;
    --event | --history | --input | --filters | --config | --tls-cert | --tls-key | --token-file | \
      --ca-file | --metrics)
      compopt -o filenames 2>/dev/null
      mapfile -t COMPREPLY < <(compgen -f -- "$current")
      return
      ;;
    --svg)
      compopt -o filenames 2>/dev/null
      mapfile -t COMPREPLY < <(compgen -d -- "$current")
      return
      ;;
    --data)
      # A directory for the broker, JSON for an event.
      if [[ $command != publish ]]; then
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -d -- "$current")
      fi
      return
      ;;
    --publish | --subscribe)
      mapfile -t COMPREPLY < <(compgen -W 'all source: type:' -- "$current")
      return
      ;;
    --filter | --dedup | --line-bytes-max | --listen | --retention-bytes | --retention-age | \
      --shards | --url | --token | --type | --source | --id | --subject | --batch | --retry | \
      --count | --expires | --overlap | --all-of | --rate | --window | --keys | --fp | --text | --nats | --cluster | \
      --name | --heartbeat | --lease | --seed | --seeds | --trace)
      return
      ;;
  esac
  if [[ -n $words ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
    return
  fi

  local commands='check explain filter eval analyze corpus size sim serve publish subscribe subscriptions dead-letters token
    backup restore doctor member'
  local connection='--url --token --token-file --ca-file --insecure --json --help'
  case $command in
    '') words="$commands help --help --version" ;;
    check) words='--dialect --language --json --help' ;;
    explain)
      words="--filter --id --event --history --dialect --initial --language $connection"
      ;;
    filter)
      words='--filters --dialect --input --json --stats --keep-going --dedup --initial --clock
        --language --line-bytes-max --help'
      ;;
    eval) words='--dialect --event --json --help' ;;
    analyze) words='--input --language --json --help' ;;
    corpus)
      words='--text --whole --language --json --help'
      if [[ $current != -* ]]; then
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -f -- "$current")
        return
      fi
      ;;
    size) words='distinct bloom --rate --window --keys --fp --json --help' ;;
    sim)
      words='--seed --seeds --trace --svg --json --help'
      if [[ $current != -* ]]; then
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -f -- "$current")
        return
      fi
      ;;
    serve)
      words='--config --listen --tls-cert --tls-key --anonymous --data --retention-bytes
        --retention-age --shards --dedup --log-level --log-format --print-config --json --help'
      ;;
    publish)
      words="--type --source --id --subject --data --batch --retry --keep-going $connection"
      if [[ $current != -* ]]; then
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -f -- "$current")
        return
      fi
      ;;
    subscribe) words="--id --filter --from --shared --count --no-reconnect $connection" ;;
    subscriptions)
      words="list show create replace delete forget transfer --all-of $connection"
      ;;
    dead-letters) words="list resend purge $connection" ;;
    token)
      words='create list rotate revoke --publish --subscribe --block --admin --expires --overlap
        --data --config --json --help'
      ;;
    backup | restore | doctor)
      words='--data --config --json --help'
      [[ $command == doctor ]] && words+=' --repair'
      if [[ $current != -* ]]; then
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -d -- "$current")
        return
      fi
      ;;
    member) words='--nats --cluster --name --metrics --heartbeat --lease --json --help' ;;
    help) words=$commands ;;
  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
}

complete -F _weir weir
