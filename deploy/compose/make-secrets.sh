#!/bin/sh
# Makes the secrets of compose.yaml in the folder "secrets" beside it, and changes none that is there.
# Back up secrets/master_key: without it, what Postgres has cannot be decrypted.

set -eu
cd "$(dirname "$0")"
# Containers read the files as other users. The folder keeps everybody else of this machine out.
mkdir -p secrets
chmod 700 secrets
cd secrets
if [ -e master_key ]; then
  echo "$PWD has secrets already, and they stay as they are."
  exit
fi

postgres=$(openssl rand -hex 24)
valkey=$(openssl rand -hex 24)
hash=$(printf %s "$valkey" | openssl dgst -sha256 -r | cut -d ' ' -f 1)
printf %s "$postgres" > postgres_password
printf %s "postgres://turnpike:$postgres@postgres:5432/turnpike" > database_url
printf %s "valkey://turnpike:$valkey@valkey:6379" > valkey_url
cat > valkey_users << USERS
user default on nopass resetkeys resetchannels -@all +ping
user turnpike on #$hash resetkeys ~turnpike:* resetchannels &turnpike:* -@all +hello +select +evalsha +eval +script|load +subscribe +publish +info +time +get +set +incrby +pexpire +pexpiretime +zadd +zrem +zcard +zcount +zrange +zrangebyscore +zremrangebyscore +hget +hset +hdel +hgetall +hscan +hincrby
USERS
openssl rand -base64 32 > master_key
chmod 644 ./*
echo "$PWD has the secrets now. Back up master_key."
