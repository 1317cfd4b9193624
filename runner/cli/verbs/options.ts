import type { VolumesChoice } from '../../places/local/volumes/choose-volumes.ts';

/** Options of `load`, `run` and `load-run`. */
export interface VerbOptions {
  local?: true;
  binding?: string;
  owner?: string;
  region?: string;
  profile?: string;
  seed?: number;
  out: string;
  resume?: true;
  keep?: true;
  pgBindir?: string;
  volumes: VolumesChoice;
  dryRun?: true;
  json?: true;
}

export interface Stages {
  load: boolean;
  run: boolean;
}
