import {
  CfnParameter,
  type DockerImageAssetLocation,
  type FileAssetLocation,
  type FileAssetSource,
  type ISynthesisSession,
  type Stack,
  StackSynthesizer,
} from 'aws-cdk-lib';

/** Folder of the assets in the bucket. */
export const assetPrefix = 'pgduet-assets';

/**
 * For a template that is launched without the CDK. It needs no bootstrapped account: a stack parameter names the bucket
 * with the assets.
 */
export class PortableSynthesizer extends StackSynthesizer {
  /** File names of staged assets in the cloud assembly, and their keys in the bucket. */
  readonly assets: { fileName: string; key: string }[] = [];
  private bucket?: CfnParameter;

  override bind(stack: Stack): void {
    super.bind(stack);
    this.bucket = undefined;
  }

  override addFileAsset({ fileName, sourceHash }: FileAssetSource): FileAssetLocation {
    if (fileName === undefined) throw new Error('An asset that a command makes cannot go into a portable template.');
    this.bucket ??= new CfnParameter(this.boundStack, 'AssetBucket', {
      description: `Bucket in this Region that holds the folder ${assetPrefix}, which came with this template`,
    });
    const bucketName = this.bucket.valueAsString;
    const objectKey = `${assetPrefix}/${sourceHash}.zip`;
    this.assets.push({ fileName, key: objectKey });
    return { bucketName, objectKey, httpUrl: '', s3ObjectUrl: `s3://${bucketName}/${objectKey}` };
  }

  override addDockerImageAsset(): DockerImageAssetLocation {
    throw new Error('A container image cannot go into a portable template.');
  }

  override synthesize(session: ISynthesisSession): void {
    this.synthesizeTemplate(session);
    this.emitArtifact(session);
  }
}
