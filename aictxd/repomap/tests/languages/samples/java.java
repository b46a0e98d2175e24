/* Licence. */
package com.example.app;

import java.util.List;
import static java.util.Map.entry;
import com.example.*;

/**
 * A service. Runs things.
 *
 * @author nobody
 */
@Service
@Named("x")
public final class Sample<T> extends Base implements Runnable {
    /** Most. */
    public static final int LIMIT = 10, OTHER = 2;
    private int field;
    static { int x = 1; }

    public Sample(int field) {
        this.field = field;
    }

    @Override
    public void run() {
        Runnable r = new Runnable() { public void run() {} };
    }

    protected abstract <U> List<U> find(
        String name,
        int count) throws IOException;

    private static class Nested {
        void deep() {}
    }

    @Test
    void works() {}
}

interface Shape {
    int SIDES = 3;
    double area();
    default void draw() {}
}

public enum Colour implements Shape {
    /** Red. */
    RED(1),
    GREEN { @Override void paint() {} };

    private final int code = 0;
    Colour(int code) {}
    public int code() { return 1; }
}

public record Point(int x, int y) {
    public Point {
        x = 1;
    }
    double length() { return 0; }
}

public @interface Marker {
    String value() default "";
}
class OldTest extends TestCase { public void testOld() {} void helper() {} }
