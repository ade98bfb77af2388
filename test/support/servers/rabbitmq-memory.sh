#!/bin/sh
# usage: rabbitmq-memory.sh FOLDER PORT SHARE
# Sets the share of the machine's memory above which the node that rabbitmq.sh has started in FOLDER raises its alarm:
# what rabbitmqctl does, without the ten times longer start of that program.
export HOME="$1" ERL_EPMD_PORT=$(($2 - 18000))
exec erl -noinput -hidden -sname "control$$@localhost" -eval "
  ok = rpc:call('hale$2@localhost', vm_memory_monitor, set_vm_memory_high_watermark, [$3]), halt(0)."
