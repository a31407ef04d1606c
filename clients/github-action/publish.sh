# Publishes what the environment says. A run that is repeated waits for the post of the first one.
set -euo pipefail

options=(--external-id "$EXTERNAL_ID")
for network in $TO; do options+=(--to "$network"); done
if [ -n "$LINK" ]; then options+=(--link "$LINK"); fi
while read -r file; do
  if [ -n "$file" ]; then options+=(--media "$file"); fi
done <<<"$MEDIA"

field() { python3 -c 'import json, sys; found = json.load(sys.stdin); print(found.get("error", found).get(sys.argv[1], ""))' "$1"; }

problem=$(mktemp)
if post=$(sp post create --json "${options[@]}" - <<<"$TEXT" 2>"$problem"); then
  id=$(field id <<<"$post")
elif [ "$(tail -n 1 "$problem" | field code)" = external_id_conflict ]; then
  id=$(tail -n 1 "$problem" | field existingPostId)
else
  cat "$problem" >&2
  exit 1
fi
echo "post-id=$id" >>"$GITHUB_OUTPUT"
sp post wait "$id"
