#!/bin/sh
# usage: rabbitmq.sh PROGRAM FOLDER PORT
# Runs a RabbitMQ node with everything in FOLDER, and its port mapper (epmd) as a process of its own that ends with it.
# QUIT is what the reaper sends when the test process has gone.
# All ports are below the ephemeral range: an outgoing connection of anybody could have one of those.
program="$1" folder="$2" port="$3"
printf 'listeners.tcp.1 = 127.0.0.1:%s\nloopback_users = none\n' "$port" > "$folder/rabbit.conf"
export HOME="$folder" RABBITMQ_NODENAME="hale$port@localhost" RABBITMQ_LOGS=-
export RABBITMQ_MNESIA_BASE="$folder/data" RABBITMQ_LOG_BASE="$folder" RABBITMQ_PID_FILE="$folder/pid"
export RABBITMQ_CONFIG_FILE="$folder/rabbit" RABBITMQ_ENABLED_PLUGINS_FILE="$folder/plugins"
export RABBITMQ_DIST_PORT=$((port - 12000)) ERL_EPMD_PORT=$((port - 18000)) ERL_EPMD_ADDRESS=127.0.0.1
epmd & mapper=$!
"$program" & node=$!
trap 'kill -TERM $node' TERM QUIT INT
wait $node
# A trapped signal ends the first wait; the second sees the node out.
wait $node
kill $mapper
