# Every bash on a hurried machine sources this, so that pauses between tries take no time.
sleep() { :; }
