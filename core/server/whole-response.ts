/** A web `Response` as the body of a reply, which goes out as it is. */
export class WholeResponse {
  readonly response: Response

  constructor(response: Response) {
    this.response = response
  }
}
