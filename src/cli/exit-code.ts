/** 0 success, 1 runtime failure, 2 wrong usage or configuration, 128 and the number of the signal that has ended a command early. */
export type ExitCode = 0 | 1 | 2 | 130 | 143;
