#!/bin/sh
# usage: reaper.sh PID FOLDER
# Ends a server and removes its folder once standard input closes, that is when the process that
# started the server has gone, however it went. Children are continued first: a stopped process
# keeps signals pending.
read -r _
kids() { cat "/proc/$1/task/$1/children" 2>/dev/null; }
kill -CONT $1 $(kids $1) 2>/dev/null
kill -QUIT $1 2>/dev/null
for attempt in 1 2 3 4 5 6 7 8 9 10; do
  kill -0 $1 2>/dev/null || break
  sleep 0.2
done
kill -KILL $1 $(kids $1) 2>/dev/null
rm -rf "$2"
