import { type SecretValue, Validations } from 'aws-cdk-lib';
import { type ISecret, Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';
import type { Experiment } from '../../runner/contract/experiment/schema.ts';

/** The master user of every variant. There is one secret, so that no variant differs by it. */
export class MasterCredentials extends Construct {
  readonly secret: ISecret;
  /** References that CloudFormation resolves; the values are in no template. */
  readonly username: SecretValue;
  readonly password: SecretValue;
  /** Key that a reader of the secret must be allowed to use; undefined if it is the account's default one. */
  readonly kmsKeyArn: string | undefined;

  /** @param restoredUser the master user of the user's own snapshot, who comes with it */
  constructor(scope: Construct, id: string, choice: Experiment['credentials'], restoredUser = 'pgduet') {
    super(scope, id);
    if (choice.kind === 'existing') {
      this.secret = Secret.fromSecretCompleteArn(this, 'Secret', choice.secretArn);
      this.kmsKeyArn = choice.kmsKeyArn;
    } else {
      this.secret = this.generated(restoredUser);
    }
    this.username = this.secret.secretValueFromJson('username');
    this.password = this.secret.secretValueFromJson('password');
  }

  /**
   * The secret has no name, since the name of a deleted secret stays taken for days. It is not attached: that serves one
   * database.
   */
  private generated(username: string): Secret {
    const secret = new Secret(this, 'Secret', {
      description: 'Master user of the databases of a pgduet experiment',
      generateSecretString: {
        secretStringTemplate: JSON.stringify({ username }),
        generateStringKey: 'password',
        // 32 letters and digits: RDS refuses some punctuation, and a pgpass file would need the rest escaped.
        excludePunctuation: true,
        passwordLength: 32,
      },
    });
    Validations.of(secret).acknowledge({
      id: 'AwsSolutions-SMG4',
      reason: 'The secret lives as long as the experiment; a rotation in mid-trial would break the trial.',
    });
    return secret;
  }
}
