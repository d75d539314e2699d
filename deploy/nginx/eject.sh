#!/bin/sh
# Takes servers out of nginx that accept connections and answer nothing: a frozen process or machine. nginx finds out only when
# proxy_read_timeout is over, for each request anew. A server that refuses connections needs no help: nginx asks the next one.
# Run it beside nginx, as a user that may write the file and reload nginx, with curl installed:
#   deploy/nginx/eject.sh /etc/nginx/conf.d/gateway.conf [command that reloads nginx]
conf=$1
reload=${2:-nginx -s reload}
servers='s/^ *server \([^ ;]*:[0-9]*\) max_fails=0.*/\1/p'
is_in() { case " $(echo $2) " in *" $1 "*) ;; *) return 1 ;; esac; }

before=
while sleep 0.5; do
  # 28: curl had no answer within a second. Twice in a row is frozen, once is busy.
  silent=$(sed -n "$servers" "$conf" | xargs -P 32 -I{} sh -c 'curl -so /dev/null -m 1 "http://{}/healthz"; [ $? -ne 28 ] || echo {}')
  changed=
  for server in $(sed -n "$servers" "$conf"); do
    state=
    if is_in "$server" "$silent"; then
      is_in "$server" "$before" || continue
      state=" down"
    fi
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
