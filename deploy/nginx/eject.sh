#!/bin/sh
# Takes servers out of nginx that accept connections and answer nothing: a frozen process or machine. nginx finds out only when
# proxy_read_timeout is over, for each request anew. A server that refuses connections needs no help: nginx asks the next one.
# Run it beside nginx, as a user that may write the file and reload nginx, with curl installed:
#   deploy/nginx/eject.sh /etc/nginx/conf.d/gateway.conf [command that reloads nginx]
conf=$1
reload=${2:-nginx -s reload}
is_in() { case " $(echo $2) " in *" $1 "*) ;; *) return 1 ;; esac; }

before=
while sleep 0.5; do
  servers=$(awk '$1 == "upstream" { name = $2 } $1 == "server" && $3 ~ /^max_fails=0/ { print name "@" $2 }' "$conf")
  # 28: curl had no answer within a second. Twice in a row is frozen, once is busy.
  silent=$(printf '%s\n' $servers | xargs -P 32 -I{} sh -c 'one="{}"; curl -so /dev/null -m 1 "http://${one#*@}/healthz"; [ $? -ne 28 ] || echo {}')
  answering=
  for one in $servers; do is_in "$one" "$silent" || answering="$answering ${one%@*}"; done
  changed=
  for one in $servers; do
    state=
    if is_in "$one" "$silent"; then
      is_in "$one" "$before" || continue
      # Where all servers of an upstream are silent, they are busy, or the network is: without one, nginx would refuse all requests.
      is_in "${one%@*}" "$answering" || continue
      state=" down"
    fi
    server=${one#*@}
    line="server $server max_fails=0$state;"
    grep -qF "$line" "$conf" && continue
    sed -i "s/server $server max_fails=0[^;]*;/$line/" "$conf"
    changed="$changed $server${state:- answers again}"
  done
  before=$silent
  [ -z "$changed" ] && continue
  echo "eject:$changed"
  $reload
done
