# Sourced by every bash on a hurried machine: pauses between tries take no time.
sleep() { :; }
